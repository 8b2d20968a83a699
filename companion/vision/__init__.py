"""The eye: one photograph in, the whole table out."""
