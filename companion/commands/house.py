"""What the touchscreen can do besides the game on the table: kept games, new ones, and the camera that watches them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from calibration.dialogue import Deed, Job
from companion.account import Teller
from companion.commands import own_kit
from companion.commands.calibrating import Calibrating, made_kits
from companion.commands.cameras import SIMULATED, camera_of
from companion.commands.export import written
from companion.commands.following import Following
from companion.commands.games import shelf
from companion.commands.monitor import Monitor, readings_of
from companion.commands.own_camera import own_lens
from companion.commands.panel import Panel, panel_of
from companion.commands.play import eye, game_to_play, kit_of_game, seen_from, watched, write
from companion.config import config
from companion.config import home as home_folder
from companion.document import Fault, replace_file
from companion.games import NAMES, load_game
from companion.kit import Kit, load_kit
from companion.live import Camera, Inbox
from companion.mishaps import Mishaps
from companion.pulse import CAMERA, EYE, SCREEN, TABLE, Pulse
from companion.referee import expected_table
from companion.rules import Game
from companion.session import Session
from companion.simulate.players import start
from companion.store.log import Log
from companion.store.reading import lines_of
from companion.store.shelf import Kept
from companion.table import Table
from companion.ui.showing import Showing
from companion.ui.view.beds import Beds, BedsView, beds_view
from companion.ui.view.benches import bench
from companion.ui.view.copies import Change, CopyView, Edit
from companion.ui.view.health import Health, Readings, health
from companion.ui.view.home import Home, Past, home, past
from companion.ui.view.kits import WITH_BEDS, Kits, kits
from companion.ui.view.naming import Keyboard, Naming, keyboard
from companion.ui.view.new_game import Begin, Draft, Last, NewGame, first_draft, new_game, with_seen
from companion.ui.view.scores import Scores, Write, scores
from companion.ui.view.workbench import Bench, Desk
from companion.vision.overlay import preview
from companion.vision.picture import encode
from companion.words import words as teller_words
from hardware.health import machine

STICKS = (Path("/media"), Path("/run/media"))  # where a desktop mounts them, in a folder of each user's
WIDEST_PX = 640  # of the camera's picture on the screen


class House:
    """`resume`, `begin` and `asked_for` put a game on the table, and the one before away.  Use it with `with`."""

    def __init__(self, args: argparse.Namespace, pulse: Pulse | None = None) -> None:
        self._args, self._pulse = args, pulse or Pulse()
        self._open = ExitStack()  # what belongs to the game on the table
        self._following: Following | None = None
        self._settings = config()
        self.inbox = Inbox()  # of the machine: buttons, and what is to be known of it
        self._panel: Panel | None = None
        self._monitor = Monitor(self._of_the_machine, self.inbox)
        self._calibrating = Calibrating(args, self._settings.camera)
        self._lasts: dict[str, Last] = {}  # by the game's name, the game that was played last
        self._previewed: tuple[object, object, Any] | None = None  # a frame, what was read of it, and how it looks so
        self._of_screens = Mishaps("a screen")
        self._bench: tuple[object, Bench] | None = None  # what a step looked like last, and of what

    def __enter__(self) -> House:
        self._panel = panel_of(self._settings.panel, self.inbox)
        if self._args.camera.is_real:
            self._monitor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._monitor.close()
        self._calibrating.close()
        self.leave()
        if self._panel is not None:
            self._panel.close()
        self.inbox.close()

    # Kept games, and new ones

    def home(self, language: str) -> Home:
        found = list(shelf().all())
        camera = self._args.camera
        missing = camera.kind == SIMULATED and camera.looked_for
        return home(found, shelf().latest(), self._faults(found), not missing, language)

    def past(self, language: str) -> Past:
        found = list(shelf().all())
        return past(found, self._faults(found), language)

    def archive(self, number: int) -> None:
        with shelf().open(number) as log:
            log.archive()

    def scores(self, number: int | None, language: str) -> Scores:
        session, names = self._session(number)
        return scores(session, Teller(session.game, language, names))

    def health(self, language: str) -> Health:
        return health(self._readings(), language)

    def pressed(self) -> Mapping[str, bool] | None:
        """Whether each button is down; None where there is no panel."""
        return self._panel.levels if self._panel is not None else None

    def _readings(self) -> Readings:
        """With as many pictures a second as are really looked at: where the eye is slow they are fewer than come."""
        following = self._following  # another game may be put on the table meanwhile
        looked_at = following.frames_a_second if following is not None else None
        return replace(self._of_the_machine(), frames_a_second=looked_at)

    def _of_the_machine(self) -> Readings:
        following = self._following  # the monitor asks from its own thread
        seen = following.table.shown.sighting.observation if following is not None else None
        boards = seen.boards.values() if seen is not None else ()
        frame = following.frame if following is not None else None
        return replace(
            readings_of(machine(home_folder()), frame, following.table.log.saving_s if following is not None else None),
            camera=str(self._args.camera),
            faults=(following.mishaps if following is not None else 0) + self._of_screens.count or None,
            buttons=self.pressed(),
            residual_px=max((board.residual_px for board in boards), default=None),
        )

    def bundle(self, language: str) -> str:
        """Everything that helps to find a failure in one file: the game with its position, the last pictures, what was
        measured.
        """
        words = teller_words("companion", language)["touch"]
        path = home_folder() / "exports" / "failure.zip"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            with ZipFile(part, "w", ZIP_DEFLATED) as file:
                file.writestr("readings.json", json.dumps(asdict(self._readings())))
                file.writestr("faults.txt", "\n".join(self._tracebacks))
                if self._following is not None:
                    log = self._following.table.log
                    lines = sorted(lines_of(log.path).items())  # the file itself is SQLite's as long as it is open
                    file.writestr("game.jsonl", "".join(json.dumps(line) + "\n" for _, line in lines))
                    file.writestr("shown.txt", repr(self._following.table.shown.finding))
                    position = log.session.game.write_position(log.session.state)
                    file.writestr("position.json", json.dumps(position, ensure_ascii=False))
                    for number, frame in enumerate(self._following.frames, 1):
                        file.writestr(f"picture-{number}.png", encode(frame.pixels, ".png"))
            part.replace(path)
        except OSError as error:
            return str(words["not-written"]).format(path=path, why=error.strerror or error)
        return str(words["written"]).format(path=path)

    @property
    def _tracebacks(self) -> tuple[str, ...]:
        """Of what broke, on the screens and at the table."""
        return (*self._of_screens.texts.values(), *(self._following.tracebacks if self._following is not None else ()))

    def write(self, number: int | None, to: Write, language: str) -> str:
        """Write a game to a USB stick, else into the companion's own folder; where it is now, or why it is nowhere."""
        kept = shelf().look(number if number is not None else self._log().number)
        words = Teller(kept.session.game, language).common["touch"]
        sticks = [path for root in STICKS for path in sorted(root.glob("*/*")) if path.is_dir()]
        for folder in (*sticks, home_folder() / "exports"):  # a stick may be full, or not to be written to
            path = folder / f"game-{kept.number}.{to.form}"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                replace_file(path, written(kept, to.form, argparse.Namespace(lang=language, part=None)))
                return str(words["written"]).format(path=path)
            except OSError as error:
                why = str(words["not-written"]).format(path=path, why=error.strerror or error)
        return why

    def new_game(self, draft: Draft | None, language: str) -> NewGame:
        kits = self._kits()
        if draft is None:
            kept = self._played()
            self._lasts = {each.session.game.name: Last(each.session, each.about.names) for each in reversed(kept)}
            game, kit = next(((g, k) for each in kept for g, k in kits if str(k.folder) == each.about.kit), kits[0])
            draft = first_draft(game, kit, self._lasts.get(game.name))
        game = next((game for game, kit in kits if kit.folder == draft.kit.folder), kits[0][0])
        return new_game(self._dealt(draft, game), kits, Teller(game, language), self._lasts)

    def keyboard(self, naming: Naming, language: str) -> Keyboard:
        return keyboard(naming, Teller(load_game(naming.draft.kit.game), language))

    def _played(self) -> list[Kept]:
        """The games that are kept, the one that was begun or resumed last first."""
        found = [kept for kept in shelf().all() if isinstance(kept, Kept)]
        return sorted(found, key=lambda kept: kept.about.order, reverse=True)

    def _kits(self) -> list[tuple[Game, Kit]]:
        """The kit that was named, the copies that were calibrated here, and the project's own."""
        named = [load_kit(self._args.kit)] if self._args.kit else []
        return [(load_game(kit.game), kit) for kit in (*named, *made_kits(), *map(own_kit, NAMES))]

    def _dealt(self, draft: Draft, game: Game) -> Draft:
        """A simulated table deals by itself what chance decides."""
        if self._args.camera.kind != SIMULATED or None not in draft.dealt:
            return draft
        random = Random(self._args.seed)
        begun = start(game, draft.players, {}, random, draft.kit)
        return with_seen(draft, game, expected_table(game, begun, draft.kit))

    def _faults(self, found: list[Kept | Fault]) -> dict[int, str]:
        """Why a game's kit cannot be read, by the game's number."""
        faults = {}
        for kept in found:
            if isinstance(kept, Kept) and kept.about.kit:
                try:
                    load_kit(Path(kept.about.kit))
                except Fault as fault:
                    faults[kept.number] = str(fault)
        return faults

    def _session(self, number: int | None) -> tuple[Session, Mapping[str, str]]:
        """A game, and what its players call themselves."""
        found = shelf().look(number) if number is not None else self._log()
        return found.session, found.about.names

    def _log(self) -> Log:
        assert self._following is not None
        return self._following.table.log

    # Kits and calibration

    def kits(self, language: str) -> Kits:
        return kits(self._calibrating.benches(), language)

    def beds(self, folder: str) -> Beds:
        return self._calibrating.beds(folder)

    def beds_view(self, beds: Beds, language: str) -> BedsView:
        return beds_view(beds, Teller(load_game(WITH_BEDS), language))

    def keep_beds(self, beds: Beds) -> None:
        self._calibrating.keep_beds(beds)

    def copy_view(self, edit: Edit, language: str) -> CopyView:
        return self._calibrating.copy_view(edit, language)

    def change_copy(self, change: Change, language: str) -> None:
        """Raises Fault; the copy that is being played with stays as it is."""
        if self._following is not None and self._kit.folder == home_folder() / "kits" / change.folder:
            raise Fault(teller_words("companion", language)["copy"]["in-use"])
        self._calibrating.change(change)

    def new_copy(self, game: str, language: str) -> Job:
        return self._calibrating.begin(game, language)

    def work(self, job: Job) -> None:
        """Go through a step of calibrating; the game on the table is put away, for there is one camera."""
        self.leave()
        self._calibrating.start(job)

    def finish(self) -> None:
        """Leave the step, and wait until it has written what it was to keep."""
        self._calibrating.close()
        self._calibrating.finish()

    def broke(self, error: Exception) -> None:
        """Something broke on a screen: told in the journal, counted, and kept for the failure file."""
        self._of_screens.met(error)

    def bench(self, desk: Desk, language: str) -> Bench | None:
        """The step as it stands; None where none is gone through."""
        stand, game = self._calibrating.stand, self._calibrating.game
        if stand is None:
            return None
        asked = (stand, desk, language)
        if self._bench is None or self._bench[0] != asked:  # a screen asks ten times a second
            self._bench = (asked, bench(stand, desk, language, Teller(load_game(game), language) if game else None))
        return self._bench[1]

    def deed(self, deed: Deed) -> None:
        self._calibrating.do(deed)

    def bench_picture(self) -> tuple[int, Any]:
        """The number of what is to be seen, and its picture, or None."""
        stand = self._calibrating.stand
        return (stand.picture, self._calibrating.picture()) if stand is not None else (0, None)

    def rest(self) -> None:
        """Leave the step; it is gone on with where it was left."""
        self._calibrating.close()

    # The game on the table

    def asked_for(self, language: str) -> Showing | None:
        """The game that the command line names; None where it names none."""
        args = self._args
        if not (
            args.resume or args.game or args.new or args.kit or args.option or args.players or args.seed is not None
        ):
            return None
        return self._put_on_the_table(lambda: game_to_play(args), language, args.resume is not None)

    def resume(self, number: int, language: str) -> Showing:
        return self._put_on_the_table(lambda: shelf().resume(number), language, True)

    def begin(self, begin: Begin, language: str) -> Showing:
        game = load_game(begin.kit.game)
        kit = str(begin.kit.folder)
        names = begin.names
        return self._put_on_the_table(lambda: shelf().begin(game, begin.start, kit=kit, names=names), language, False)

    def _put_on_the_table(self, make: Callable[[], Log], language: str, resumed: bool) -> Showing:
        self.leave()
        log = self._open.enter_context(make())
        self._kit = kit_of_game(self._args, log)
        following = Following(Table(self._kit, log), self._args.confirm == "auto", log.number if resumed else None)
        self._open.callback(following.close)
        if self._panel is not None:
            following.lights = self._panel.show
        following.alive, following.rests = self._pulse.beat, self._pulse.rest
        self._following = following
        return Showing(following, self._kit, Teller(log.session.game, language, log.about.names), resumed)

    def watch(self) -> None:
        """Begin to watch the table; the eye learns the kit before the first picture."""
        if self._following is not None:
            camera: Camera | None = None
            if self._args.camera.kind != SIMULATED:
                camera = camera_of(self._args.camera, self._settings.camera, self._calibrating.fixed)
            args, kit = self._with_lens(), self._kit
            watched(self._following, camera, kit, args, seen_from(args, self._following, lambda: eye(kit, args)))

    def _with_lens(self) -> argparse.Namespace:
        """What was asked for; where no lens was named, with the one that was calibrated here with this camera."""
        named = self._args.camera_profile or own_lens(self._args.camera)
        return argparse.Namespace(**{**vars(self._args), "camera_profile": named})

    def leave(self) -> None:
        """Put the game away; it is kept."""
        following, self._following, self._previewed = self._following, None, None
        self._open.close()  # first: it is put away also where its record cannot be written
        self._pulse.rest(CAMERA, EYE)
        if following is not None and self._args.record:
            write(self._args.record, following.table.log)

    def alive(self, table: bool = True) -> None:
        """Table and screen are, and whoever supervises the companion is told so where camera and eye are as well.

        Without the `table` it is the screen alone: something is being saved.
        """
        if table:
            self._pulse.beat(TABLE)
        self._pulse.beat(SCREEN)
        self._pulse.ping()

    def picture(self) -> Any:
        """The newest picture, with what was read of the still table drawn onto it; None before the first.

        As long as neither is new it is the same array.
        """
        following = self._following
        if following is None or (frame := following.frame) is None:
            return None
        sighting = following.table.shown.sighting
        seen = sighting.observation if sighting.state == "settled" else None
        last = self._previewed
        if last is None or last[0] is not frame or last[1] is not seen:
            self._previewed = last = (frame, seen, preview(frame, seen, self._kit, WIDEST_PX))
        return last[2]
