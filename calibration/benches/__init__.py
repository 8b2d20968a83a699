"""The steps of calibrating as they are gone through at a screen, one class for each.

Each has `stand`, how far it has come; `look`, which is handed what the camera shows; `do`, for what a person does; and
`pictures`, what there is to be seen.  What they find they find with what `companion calibrate` uses, and everything
that was taken lies on disk: whoever comes back goes on where he was.
"""
