"""What a step of calibrating looks like, whichever it is: see `companion.ui.view.workbench` for how it is drawn."""

from __future__ import annotations

from dataclasses import replace

from calibration.dialogue import BoardStand, CameraStand, CheckStand, LensStand, PiecesStand, Stand
from companion.account import Teller
from companion.ui.view.board_bench import board_bench
from companion.ui.view.wording import capital
from companion.ui.view.workbench import Bench, Desk, Told, camera_bench, check_bench, lens_bench, pieces_bench


def bench(stand: Stand, desk: Desk, language: str, teller: Teller | None = None) -> Bench:
    """`teller` tells the kit's game, where the step is about a kit."""
    told = Told(language, teller)
    match stand:
        case CameraStand():
            made = camera_bench(stand, desk, told)
        case LensStand():
            made = lens_bench(stand, desk, told)
        case BoardStand():
            made = board_bench(stand, desk, told)
        case PiecesStand():
            made = pieces_bench(stand, desk, told)
        case CheckStand():
            made = check_bench(stand, desk, told)
        case _:
            raise TypeError(f"no step of calibrating: {stand!r}")
    lines = tuple(replace(line, text=capital(line.text)) for line in made.lines)
    return replace(made, title=capital(made.title), lines=(*told.troubles(stand), *lines))
