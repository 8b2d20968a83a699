"""`companion play`: a table is watched, what players do is named and judged, and the score kept."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from companion.account import Teller
from companion.commands import counted, kit_to_play_with, own_kit
from companion.commands.cameras import CAMERAS, SIMULATED, camera_of, source, source_set
from companion.commands.following import Following
from companion.commands.games import TITLES, line, mended, shelf
from companion.commands.monitor import Monitor, readings_of
from companion.commands.narrating import Narrator
from companion.commands.own_camera import own_lens, settings_set
from companion.commands.panel import panel_of
from companion.commands.read import load_profile
from companion.commands.simulate import share, sized
from companion.config import config, home
from companion.document import Fault, write_whole
from companion.games import NAMES, load_game
from companion.kit import Kit, load_kit
from companion.live import Camera, Inbox, Noticed, See, Stopped
from companion.mishaps import held_back
from companion.observation import Frame
from companion.rules import LANGUAGES, Action, State
from companion.session import write_record
from companion.simulate.moods import CALM, LIVELY, USUAL
from companion.simulate.players import SEATS, choose, start
from companion.store.log import Log
from companion.store.shelf import Kept
from companion.table import Table
from companion.ui.keeping import of_the_disk, waited_for
from companion.ui.keyboard import Terminal
from companion.ui.showing import Showing
from companion.ui.terminal import GONE, Display
from companion.ui.window import shows_on_a_desktop
from companion.vision.learned import knowledge_of
from companion.vision.watch import Sighting, Watch
from companion.words import words
from hardware.health import machine

TURNS_ALONE = 3  # of a game that nobody watches, where nothing else is said
DISPLAYS = ("auto", "terminal", "none", "touch")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--camera", metavar="CAMERA", type=source, help=CAMERAS)
    parser.add_argument("--display", choices=DISPLAYS, default="auto", help="where it is shown (default: auto)")
    parser.add_argument("--screen", metavar="NAME", help="of the touchscreen: the screen that is shown first")
    parser.add_argument("--demo", action="store_true", help="on the touchscreen: demo data, and nothing is kept")
    parser.add_argument("--game", choices=NAMES, help="the game (default: the kit's, else garden-dice)")
    parser.add_argument("--players", type=int, metavar="N", help="how many play (default: as few as can)")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit on the table; without it the project's own")
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="a house rule, e.g. tools=true"
    )
    parser.add_argument("--new", action="store_true", help="begin a new game, whatever is not finished yet")
    parser.add_argument("--resume", metavar="GAME", help="go on with a game that is kept, by its number or name")
    parser.add_argument("--turns", type=counted, metavar="N", help="end after N turns (default: the whole game)")
    parser.add_argument("--confirm", choices=("auto",), help="auto: confirm what stands clearly alone, and play on")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each thing that happens")
    parser.add_argument("--record", metavar="FILE", type=Path, help="write the game down, for companion judge")
    parser.add_argument("--camera-profile", metavar="FILE", type=Path, help="a calibrated lens, a TOML file")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language (default: en)")
    table = parser.add_argument_group("the simulated table")
    table.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same game (default: by chance)")
    table.add_argument(
        "--speed", type=speed, metavar="N|max", default=1.0, help="so much faster, folders too (default: 1)"
    )
    table.add_argument("--size", type=sized, metavar="WxH", default=(1280, 960), help="of the pictures (1280x960)")
    table.add_argument("--mistakes", type=share, metavar="SHARE", default=0.0, help="how often players do wrong (0…1)")
    mood = table.add_mutually_exclusive_group()
    mood.add_argument("--calm", dest="mood", action="store_const", const=CALM, help="nothing happens but the game")
    mood.add_argument("--lively", dest="mood", action="store_const", const=LIVELY, help="lamps, cups, elbows, doubts")
    parser.set_defaults(mood=USUAL)


def speed(text: str) -> float | None:
    """How much faster than life; None: every picture as soon as the one before is done with."""
    if text == "max":
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected a number from 0.01 to 1000, or max")
    return value


def run(args: argparse.Namespace) -> int:
    settings = config()
    args.camera = args.camera or source_set(settings.camera)
    settle_display(args)
    if args.camera_profile:  # what is wrong with it is told before a game is begun
        load_profile(args.camera_profile)
    if args.display == "touch":
        from companion.commands.touch import touched

        return touched(args)
    with ExitStack() as stack:
        camera = None
        if args.camera.kind != SIMULATED:
            camera = camera_of(args.camera, settings.camera, settings_set(args.camera))
            args.camera_profile = args.camera_profile or own_lens(args.camera)
        if camera:
            stack.callback(camera.close)
        log = stack.enter_context(game_to_play(args))
        kit = kit_of_game(args, log)
        teller = Teller(log.session.game, args.lang, log.about.names)
        following = Following(Table(kit, log), args.confirm == "auto", log.number if args.resume is not None else None)
        stack.callback(following.close)
        if panel := panel_of(settings.panel, following.inbox):
            stack.callback(panel.close)
            following.lights = panel.show
        if args.camera.is_real:
            monitor = Monitor(lambda: readings_of(machine(home()), following.frame, log.saving_s), following.inbox)
            monitor.start()
            stack.callback(monitor.close)
        stack.enter_context(stopping(following.inbox))
        say(str(teller.common["terminal"]["learning"]))
        made = [eye(kit, args)]  # what is wrong with the kit or the lens is told before the game begins
        make = seen_from(args, following, lambda: made.pop() if made else eye(kit, args))
        watched(following, camera, kit, args, make)
        status = told(Showing(following, kit, teller, args.resume is not None), following, args)
        if args.record:
            write(args.record, log)
        if not args.json and status != GONE:
            print("\n" + teller.common_words("kept", number=log.number))
        return status


def watched(
    following: Following, camera: Camera | None, kit: Kit, args: argparse.Namespace, make: Callable[[], See]
) -> None:
    """Begin to watch a camera; where there is none, a simulated table."""
    if camera:
        following.watch(camera, make, args.speed)
    else:
        state = following.table.log.session.state
        following.watch(*simulated(args, kit, state, following.waits, make))


def told(showing: Showing, following: Following, args: argparse.Namespace) -> int:
    """On the terminal or in lines until an end is made.  Returns the exit status."""
    if args.display != "terminal":
        return Narrator(following, showing.teller, args.json, args.turns).run()
    terminal = Terminal()
    display = Display(showing, TITLES[showing.kit.game])
    with held_back(), terminal.taken():
        return display.run(terminal)


# What to show it on, what to watch


def settle_display(args: argparse.Namespace) -> None:
    """Which display there is; what `auto` finds is said."""
    alone = not (sys.stdin.isatty() and sys.stdout.isatty())
    if args.display != "touch" and (args.demo or args.screen):
        raise Fault("--demo, --screen: these are of the touchscreen; use --display touch")
    if args.display == "touch" and args.json:
        raise Fault("--json: lines and a display do not go together; use --display none")
    if args.display == "terminal" and (alone or args.json):
        raise Fault("--display: terminal found, but the output goes elsewhere; use none" if alone else
                    "--json: lines and the terminal's display do not go together; use --display none")  # fmt: skip
    simulated = args.camera.kind == SIMULATED
    if args.camera.looked_for:
        say("no camera found: a simulated table" if simulated else f"camera: {args.camera}")
    if args.display == "auto":
        args.display = "none" if alone or args.json else "touch" if shows_on_a_desktop() else "terminal"
        if args.display == "none" and not args.json:
            say("no terminal to show it in: told in lines; what stands clearly alone is confirmed")
            args.confirm = "auto"
            if simulated:
                args.speed, args.turns = None, args.turns or TURNS_ALONE
    if args.display == "none" and simulated:
        args.confirm = "auto"  # there is nobody else to do it


def say(text: str) -> None:
    print(f"companion: {text}", file=sys.stderr, flush=True)


def eye(kit: Kit, args: argparse.Namespace) -> Callable[[Frame], Sighting]:
    """What looks at a frame.  Raises Fault."""
    if not args.camera_profile:
        return Watch(kit, knowledge_of(kit), None).see
    return Watch(kit, knowledge_of(kit), load_profile(args.camera_profile)).see


def seen_from(args: argparse.Namespace, following: Following, make: Callable[[], See]) -> Callable[[], See]:
    """The same eye; that its camera is not as it was when it was calibrated is told in the game."""
    from companion.commands.mounting import noticing

    def notice(key: str, **facts: object) -> None:
        following.inbox.put(Noticed(key))
        if facts and args.display != "terminal":  # which it would spoil
            say(words("companion", args.lang)["doctor"][key].format(file=args.camera_profile, **facts))

    return noticing(make, args.camera_profile, following.table.kit.folder, args.camera.is_real, notice)


def simulated(
    args: argparse.Namespace, kit: Kit, state: State, waits: Callable[[int], bool], make: Callable[[], See]
) -> tuple[Camera, Callable[[], See], float | None, Callable[[], tuple[Action, ...]]]:
    """A simulated table: its camera, what makes an eye, how fast, and a function for what players tapped by then."""
    from companion.simulate.camera import AHEAD, SimulatedCamera
    from companion.simulate.living import Play

    game, seed = load_game(kit.game), seed_of(args)
    play = Play(
        game, kit, state, choose, Random(seed), abs(seed), args.mood, args.mistakes, turns=args.turns, waits=waits
    )
    camera = SimulatedCamera(play, args.size, AHEAD if args.speed else 0)
    return camera, make, args.speed, lambda: camera.shot.tapped if camera.shot else ()


@contextmanager
def stopping(inbox: Inbox) -> Iterator[None]:
    """Signals that ask for an end come in like all else: nothing is broken off in the middle."""
    asked = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda got, frame: inbox.put(Stopped(128 + got))) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# The game


def game_to_play(args: argparse.Namespace) -> Log:
    """A new game, or one that goes on."""
    games, seed = shelf(), seed_of(args)
    if args.resume is not None:
        log = kept_by(lambda: games.resume(games.find(args.resume)), args.lang)
        teller = Teller(log.session.game, args.lang)
        print("\n".join([*mended(log, teller), teller.common["games"]["goes-on"].format(number=log.number)]),
              file=sys.stderr)  # fmt: skip
        return log
    kit = kit_to_play_with(args)
    game = load_game(kit.game)
    players = args.players if args.players is not None else SEATS[game.name][0]
    begun = start(game, players, house_rules(args.option), Random(seed), kit)
    if not args.new and (kept := unfinished(kit)) is not None:
        if args.display == "terminal" and goes_on(kept, args.lang):
            args.resume = str(kept.number)
            return game_to_play(args)
        if args.display != "terminal":
            say(f"game {kept.number} is not finished; companion play --resume {kept.number} goes on with it")
    say(Teller(game, args.lang).common_words("seed", game=TITLES[game.name], seed=seed))
    return kept_by(lambda: games.begin(game, begun, kit=str(kit.folder)), args.lang)


def kept_by(deed: Callable[[], Log], language: str) -> Log:
    """A game that is begun or gone on with; that the disk has to be waited for is said."""
    saving = str(words("companion", language)["touch"]["saving"])
    return waited_for(deed, lambda waits: say(saving) if waits else None, of_the_disk)


def seed_of(args: argparse.Namespace) -> int:
    """The seed that was named, else one by chance that then stands for all of the program."""
    if args.seed is None:
        args.seed = SystemRandom().randrange(10_000)
    return int(args.seed)


def goes_on(kept: Kept, lang: str) -> bool:
    """Whether a game is to go on, as whoever sits there says."""
    words = Teller(kept.session.game, lang).common["terminal"]
    try:
        answer = input(words["go-on"].format(number=kept.number, line=line(kept, lang).strip()))
    except EOFError:
        return False
    return answer.strip().lower()[:1] not in ("n",)


def unfinished(kit: Kit) -> Kept | None:
    """The latest game with this kit, where it is not over."""
    games = shelf()
    number = games.latest()
    if number is None:
        return None
    try:
        kept = games.look(number)
    except Fault:
        return None
    over = kept.session.game.over(kept.session.state)
    return None if over or kept.about.kit != str(kit.folder) else kept


def kit_of_game(args: argparse.Namespace, log: Log) -> Kit:
    """The kit that the game is played with: the one that is named, else the one that it was begun with."""
    name = log.session.game.name
    if args.kit or not log.about.kit:
        kit = load_kit(args.kit) if args.kit else own_kit(name)
    else:
        kit = load_kit(Path(log.about.kit))
    if kit.game != name:
        raise Fault(f"--kit: {kit.folder} is a kit of {kit.game}, but game {log.number} is of {name}")
    return kit


def house_rules(options: list[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs; a value is JSON, or else a word."""
    rules = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise Fault(f"--option: {option!r} found; expected NAME=VALUE")
        try:
            rules[name] = json.loads(value)
        except ValueError:
            rules[name] = value
    return rules


def write(path: Path, log: Log) -> None:
    write_whole(path, (json.dumps(write_record(log.session), ensure_ascii=False) + "\n").encode())
