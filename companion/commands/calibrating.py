"""Calibrating on the touchscreen: which copies there are, and the step that is being gone through, with its camera."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from calibration.album import Album
from calibration.benches.board import BoardBench
from calibration.benches.camera import CameraBench
from calibration.benches.check import CheckBench
from calibration.benches.lens import LensBench
from calibration.benches.pieces import PiecesBench
from calibration.camera import Step
from calibration.dialogue import BOARD, CAMERA, LENS, PIECES, Benches, Copy, Deed, Job, Stand
from calibration.kit_making import begun, keep
from calibration.lint import VEGETABLES
from calibration.steps import ACCEPTANCE, keep_settings, settings_of
from calibration.workshop import Camera, Workshop
from companion.commands import own_kit
from companion.commands.cameras import SIMULATED, camera_of
from companion.commands.own_camera import name_of, own_profile, profile_path, set_before, settings_set
from companion.config import CameraSettings, home
from companion.document import Fault, load_text, parse_json
from companion.games import NAMES
from companion.kit import Kit, load_kit
from companion.ui.view.beds import Beds, written
from companion.ui.view.copies import Change, CopyView, Edit, PutAside, Rename, SetArrow, SetDice, copy_view
from companion.ui.view.kits import WITH_BEDS
from companion.words import words

FOLDER = "folder"
GOES_ON = (CAMERA, LENS)  # steps that take every picture as it comes
ASIDE = "aside"  # the folder of copies that were put aside
LAST_COLUMN = 5  # where the hedge's arrow is, unless the kit says otherwise


def made_kits() -> Iterator[Kit]:
    """The copies that can be played with."""
    for folder in sorted((home() / "kits").glob("*/kit.toml")):
        try:
            kit = load_kit(folder.parent)
        except Fault:
            continue
        if kit.game in NAMES and kit.pieces and len(kit.boards) == len(own_kit(kit.game).boards):
            yield kit


class Calibrating:
    """One step at a time; the one before is ended when another is begun."""

    def __init__(self, args: argparse.Namespace, settings: CameraSettings) -> None:
        self._args, self._settings = args, settings
        self._workshop: Workshop | None = None
        self._ending: Workshop | None = None  # that was closed last, and may still be writing
        self._game = ""

    # What there is

    def benches(self) -> Benches:
        profile = own_profile(self._args.camera)
        copies = tuple(map(self._copy, self._names()))
        day, residual = (profile.made, profile.residual_px) if profile is not None else ("", None)
        return Benches(day, residual, copies, NAMES, str(self._args.camera))

    def _names(self) -> list[str]:
        found = [path.parent.name for path in (home() / "kits").glob("*/kit.toml")]
        return sorted({*found, *(path.parent.name for path in (home() / "calibrating").glob("*/notes.json"))})

    def _copy(self, name: str) -> Copy:
        folder, begun = home() / "kits" / name, self._album(name).notes()
        if not (folder / "kit.toml").exists():
            game = begun.get("game")
            if game not in NAMES:
                return Copy(name, name, str(game), {}, 0, 0, fault=f"{self._album(name).folder}: cannot be read")
            model = own_kit(game)
            boards = {board.id: False for board in model.boards}
            return Copy(name, str(begun.get("name") or name), game, boards, 0, len(model.pieces))
        try:
            kit = load_kit(folder)
            model = own_kit(kit.game) if kit.game in NAMES else kit
        except Fault as fault:
            return Copy(name, name, "", {}, 0, 0, fault=str(fault))
        there = {board.id for board in kit.boards}
        boards = {board.id: board.id in there for board in model.boards}
        accepted, day = _acceptance(folder)
        arrow = None if kit.game != WITH_BEDS else kit.arrow or LAST_COLUMN
        dice_mm = kit.dice.size_mm if kit.dice is not None else None
        done = len(kit.pieces), len(model.pieces), accepted, day
        return Copy(name, kit.name, kit.game, boards, *done, arrow=arrow, dice_mm=dice_mm)

    def begin(self, game: str, language: str) -> Job:
        """A copy that nothing is known of yet: its first step.  Raises Fault."""
        numbers = [int(tail) for name in self._names() if (tail := name.removeprefix(f"{game}-")).isdecimal()]
        number = max(numbers, default=0) + 1
        name = f"{game}-{number}"
        told = str(words("companion", language)["bench"]["own-copy"]).format(number=number)
        self._album(name).note({"game": game, "name": told})
        return Job(BOARD, name, own_kit(game).boards[0].id)

    def _album(self, *parts: str) -> Album:
        return Album(home().joinpath("calibrating", *parts))

    def copy_view(self, edit: Edit, language: str) -> CopyView:
        """A copy by itself.  Raises Fault where there is none any more."""
        if edit.folder not in self._names():
            raise Fault(f"{edit.folder}: there is no such copy")
        return copy_view(self._copy(edit.folder), edit, str(home() / ASIDE), language)

    def change(self, change: Change) -> None:
        """Raises Fault."""
        match change:
            case Rename(folder, name) if name:
                self._change(folder, name=name)
                if notes := self._album(folder).notes():
                    self._album(folder).note({**notes, "name": name})
            case SetArrow(folder, column):
                self._change(folder, arrow=column)
            case SetDice(folder, size_mm):
                self._change(folder, dice_size_mm=size_mm)
            case PutAside(folder):
                self._put_aside(folder)

    def _change(self, copy: str, dice_size_mm: float | None = None, **changes: Any) -> None:
        folder = home() / "kits" / copy
        if not (folder / "kit.toml").exists():  # nothing but its name is known yet
            return
        document = begun(folder, None, None)
        if dice_size_mm is not None:
            changes["dice"] = {**document["dice"], "size_mm": dice_size_mm}
        keep(folder, {**document, **changes}, {})

    def _put_aside(self, name: str) -> None:
        """With its pictures, into a folder that nothing of that name is in yet."""
        places = (part for number in count(1) if not (part := home() / ASIDE / f"{name}-{number}").exists())
        aside = next(places)
        try:
            for kind in ("kits", "calibrating"):
                if (home() / kind / name).exists():
                    aside.mkdir(parents=True, exist_ok=True)
                    (home() / kind / name).rename(aside / kind)
        except OSError as error:
            raise Fault(f"{aside}: cannot be written: {error.strerror or error}") from None

    # What no picture tells

    def beds(self, name: str) -> Beds:
        """The shapes of a copy's beds as far as they are entered.  Raises Fault."""
        kit = load_kit(home() / "kits" / name)
        shapes = {veggie: kit.patterns.get(veggie, ()) for veggie in VEGETABLES[kit.game]}
        return Beds(name, shapes, next(iter(shapes)))

    def keep_beds(self, beds: Beds) -> None:
        """Raises Fault."""
        folder = home() / "kits" / beds.kit
        keep(folder, {**begun(folder, None, None), "patterns": written(beds)}, {})

    # The step that is gone through

    def start(self, job: Job) -> None:
        """Raises Fault where the camera, or the kit, is not there."""
        self.close()
        self.finish()
        camera = self._camera(job)
        try:
            bench = self._bench(job, camera)
        except Fault:
            camera.close()
            raise
        paced = self._args.camera.kind == FOLDER and job.step not in GOES_ON
        self._game = self.game_of(job)
        self._workshop = Workshop(camera, bench, paced)
        self._workshop.start()

    def _camera(self, job: Job) -> Camera:
        if self._args.camera.kind == SIMULATED:
            from companion.simulate.practice import PracticeCamera

            game = self.game_of(job) or NAMES[0]
            return PracticeCamera(own_kit(game), lambda: self._workshop.stand if self._workshop else None)
        return camera_of(self._args.camera, self._settings, {} if job.step == CAMERA else self.fixed)

    @property
    def fixed(self) -> Mapping[str, float]:
        """How the camera was set once and for all; nothing where it was not."""
        return settings_set(self._args.camera)

    def _keep_set(self, steps: Sequence[Step]) -> None:
        """What was set goes into the camera's profile; as long as its lens is not known it is noted down."""
        name = name_of(self._args.camera)
        if own_profile(name) is not None:
            keep_settings(profile_path(), steps)
        else:
            set_before().note({"camera": name, "settings": settings_of(steps)})

    def game_of(self, job: Job) -> str:
        """The game that a step is about; empty where it is about the camera alone."""
        if not job.kit:
            return ""
        folder = home() / "kits" / job.kit
        return load_kit(folder).game if (folder / "kit.toml").exists() else str(self._album(job.kit).notes()["game"])

    def _bench(self, job: Job, camera: Camera) -> Any:
        name = name_of(self._args.camera)
        if job.step == CAMERA:
            return CameraBench(job, camera, self._keep_set)
        if job.step == LENS:
            return LensBench(job, self._album("lens"), profile_path(), name, self.fixed)
        profile = own_profile(name)
        lens = profile.lens if profile is not None else None
        folder, model = home() / "kits" / job.kit, own_kit(self.game_of(job))
        if job.step == BOARD:
            begun = str(self._album(job.kit).notes().get("name") or job.kit)
            return BoardBench(job, folder, begun, model, self._album(job.kit, f"board-{job.board}"), lens)
        if job.step == PIECES:
            return PiecesBench(job, folder, model, lens)
        return CheckBench(job, load_kit(folder), self._album(job.kit, "check"), lens)

    @property
    def game(self) -> str:
        """That of the kit that is being worked on; empty where the step is about the camera alone."""
        return self._game

    @property
    def stand(self) -> Stand | None:
        workshop = self._workshop  # which a screen asks for while another thread saves
        return workshop.stand if workshop is not None else None

    def picture(self) -> Any:
        """What is to be seen: (height, width, 3) uint8 BGR, or None."""
        return self._workshop.picture() if self._workshop is not None else None

    def do(self, deed: Deed) -> None:
        if self._workshop is not None:
            self._workshop.do(deed)

    def close(self) -> None:
        workshop, self._workshop = self._workshop, None
        if workshop is not None:
            workshop.close()
            self._ending = workshop

    def finish(self) -> None:
        """Wait until the step that was closed last has written what it was to keep: another reads it."""
        ending, self._ending = self._ending, None
        if ending is not None:
            ending.finish()


def _acceptance(folder: Path) -> tuple[bool | None, str]:
    """Whether a kit was accepted, and when; None where nothing can be read of that."""
    try:
        found = parse_json(load_text(folder / ACCEPTANCE))
    except Fault:
        return None, ""
    if not isinstance(found, dict) or not isinstance(found.get("accepted"), bool):
        return None, ""
    return found["accepted"], str(found.get("date", ""))
