"""`companion follow`: a game out of a folder of frames, told as it goes, and kept where it is confirmed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.account import Teller
from companion.commands import load_position, own_kit
from companion.commands.games import shelf
from companion.commands.read import ENDINGS, content_of, load_profile
from companion.commands.telling import Line, line_of, sight_line, told
from companion.document import Fault, Field, load_text, many, parse_json
from companion.kit import load_kit
from companion.observation import NotSeen
from companion.referee import Proposed, Undone, Unexplained
from companion.rules import LANGUAGES, Action, Game, State
from companion.store.shelf import Shelf
from companion.table import Confirm, Event, Seen, Shown, Table, Tell, met_by
from companion.ui.keeping import waited_for

INPUTS = "inputs.jsonl"
UNDO_AFTER, UNDO_SURE = 10, 0.99  # still pictures after which a step taken back is taken for that, and how sure it is


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("frames", metavar="FRAMES_DIR", type=Path, help="the folder of the camera's pictures")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit on the table (default: the project's own)")
    parser.add_argument("--start", metavar="POSITION", type=Path, required=True, help="the position at the first frame")
    parser.add_argument("--confirm", choices=("auto",), help="auto: confirm what stands clearly alone, and play on")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each thing that happens")
    parser.add_argument("--camera-profile", metavar="FILE", type=Path, help="a calibrated lens, a TOML file")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


def run(args: argparse.Namespace) -> int:
    kit = load_kit(args.kit) if args.kit else None
    game, start = load_position(args.start, kit)
    kit = kit or own_kit(game.name)
    frames = frames_in(args.frames)
    tapped = inputs(args.frames / INPUTS, {frame.name for frame in frames}, game, start)
    calibration = load_profile(args.camera_profile) if args.camera_profile else None
    from companion.vision.learned import knowledge_of  # OpenCV is loaded only where it is needed
    from companion.vision.picture import decode
    from companion.vision.watch import Watch

    watch = Watch(kit, knowledge_of(kit), calibration)
    teller = Teller(game, args.lang)
    amiss = False

    def saves(waits: bool) -> None:
        if waits:
            print(teller.common["touch"]["saving"], file=sys.stderr, flush=True)

    with ExitStack() as stack:
        games = shelf()
        if not args.confirm:  # nothing is confirmed, so nothing is kept
            games = Shelf(Path(stack.enter_context(TemporaryDirectory())) / "games", games.games)
        table = Table(kit, stack.enter_context(games.begin(game, start, kit=str(kit.folder))))
        follower = Follower(table, bool(args.confirm))
        for path in frames:
            seen = decode(content_of(path), path.name)
            if isinstance(seen, NotSeen):
                line: Line = {"frame": path.name, "error": seen.error, "advice": seen.advice}
                lines = [(line, start)]
            else:
                events: list[Event] = [Tell(actions) for actions in tapped.get(path.name, ())]
                events.append(Seen(watch.see(seen)))
                step = partial(follower.lines, path.name, events)
                lines = waited_for(step, saves, lambda: table.log.waits_s)
            for line, met in lines:
                amiss = amiss or "error" in line or line.get("legal") is False
                print(json.dumps(line, ensure_ascii=False) if args.json else told(line, teller, met, kit), flush=True)
        amiss = amiss or isinstance(table.shown.finding, Unexplained)
    return 1 if amiss else 0


class Follower:
    """Hands a table its events, confirms for it where that is wanted, and tells what is new in lines."""

    def __init__(self, table: Table, confirms: bool) -> None:
        self.table, self.confirms = table, confirms
        self._sight = ""
        self._last: Line = {}

    def lines(self, frame: str, events: Sequence[Event]) -> list[tuple[Line, State]]:
        """What a frame brings to tell, each with the position that it is about."""
        found: list[tuple[Line, State]] = []
        for event in events:
            shown = self.table.step(event)
            found += self._seen(frame, shown)
            found += self._done(frame, shown)
            while self.confirms and _stands_alone(shown):
                finding, shown = shown.finding, self.table.step(Confirm())
                if not shown.done:
                    break
                found += self._done(frame, shown, finding if isinstance(finding, Proposed) else None)
            found += self._found(frame, shown)
        return found

    def _seen(self, frame: str, shown: Shown) -> Iterator[tuple[Line, State]]:
        sighting, state = shown.sighting, shown.session.state
        if sighting.light:
            yield sight_line(frame, "light", sighting), state
        if sighting.picture and sighting.state != self._sight:
            self._sight = sighting.state
            yield sight_line(frame, sighting.state, sighting), state

    def _done(self, frame: str, shown: Shown, finding: Proposed | None = None) -> Iterator[tuple[Line, State]]:
        for done in shown.done:
            self._last = {}
            yield line_of(frame, self.table.game, shown, done, finding), done.met
            finding = None

    def _found(self, frame: str, shown: Shown) -> Iterator[tuple[Line, State]]:
        """What the referee says of the settled table, once for as long as it says the same."""
        if not shown.firm or shown.finding is None:
            return
        line = line_of(frame, self.table.game, shown)
        same = {key: value for key, value in line.items() if key not in ("frame", "confidence", "alternatives")}
        if same != self._last:
            self._last = same
            if same:
                best = shown.finding.best if isinstance(shown.finding, Proposed) else None
                yield line, met_by(shown.session, best)


def _stands_alone(shown: Shown) -> bool:
    """Whether a finding may be confirmed without asking."""
    finding = shown.finding
    if isinstance(finding, Undone):
        return shown.stood >= UNDO_AFTER and finding.probability >= UNDO_SURE and not finding.alternatives
    return isinstance(finding, Proposed) and finding.clear and shown.firm


def frames_in(folder: Path) -> list[Path]:
    """The pictures of a folder in the order of their names, one at least.  Raises Fault."""
    try:
        found = sorted(entry for entry in folder.iterdir() if entry.suffix.lower() in ENDINGS)
    except OSError as error:
        raise Fault(f"{folder}: cannot be read: {error.strerror or error}") from None
    if not found:
        raise Fault(f"{folder}: no pictures in this folder")
    return found


def inputs(path: Path, frames: set[str], game: Game, start: State) -> dict[str, list[tuple[Action, ...]]]:
    """What players tapped, by the frame before which they did; nothing where there is no such file.  Raises Fault."""
    if not path.exists():
        return {}
    tapped: dict[str, list[tuple[Action, ...]]] = {}
    try:
        for number, text in enumerate(load_text(path).splitlines(), 1):
            if not text.strip():
                continue
            try:
                keys = Field(parse_json(text)).keys(("frame", "actions"))
                for name in ("frame", "actions"):
                    if name not in keys:
                        raise Fault(f'"{name}" is missing')
                frame = keys["frame"].one_of(frames)
                actions = many(lambda field: game.read_action(field, start))(keys["actions"])
            except Fault as fault:
                raise Fault(f"line {number}: {fault}") from None
            tapped.setdefault(frame, []).append(tuple(actions))
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return tapped
