"""Games in the middle of something, for looking at the screens without a table: each scene is a state worth seeing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from calibration.dialogue import Deed, Job
from companion import __version__
from companion.account import Teller
from companion.commands import own_kit
from companion.commands.demo_benches import DemoBench, benches, demo_benches, picture_of
from companion.document import Field
from companion.games import NAMES, load_game
from companion.live import Inbox, Looked, Noticed
from companion.observation import BoardSight, Die, Frame, Observation, Reading
from companion.referee import expected_table
from companion.rules import Action, Allowed, State, judge
from companion.simulate.players import choose, start
from companion.simulate.practice import position_photographed
from companion.store.log import Log
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.table import Seen, Table
from companion.ui.showing import Showing
from companion.ui.view.beds import Beds, BedsView, beds_view
from companion.ui.view.benches import bench
from companion.ui.view.copies import Change, CopyView, Edit, copy_view
from companion.ui.view.health import Health, Readings, health
from companion.ui.view.home import Home, Past, home, past
from companion.ui.view.kits import WITH_BEDS, Kits, kits
from companion.ui.view.naming import Keyboard, Naming, keyboard
from companion.ui.view.new_game import Begin, Draft, NewGame, first_draft, new_game
from companion.ui.view.scores import Scores, Write, scores
from companion.ui.view.workbench import Bench, Desk
from companion.vision.overlay import preview
from companion.vision.watch import Sighting

SURE = 0.998
WIDEST_PX = 640  # of the picture
A_MOMENT_S = 1_800_000_000.0  # at which every game was touched
CORNERS = ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0))
TURN = {"player": "blue", "rolled": True, "dice": [4, 5], "spent": [1, 2]}
FOUR = [
    {"colour": "blue", "score": 96, "seeds": ["tomato"], "harvested": ["squash"], "sun": True},
    {"colour": "green", "score": 7, "sun": True},
    {"colour": "red", "score": 0, "harvested": ["tomato", "carrot"]},
    {"colour": "yellow", "score": 88},
]
DICE: dict[str, Any] = {
    "game": "garden-dice",
    "options": {"must_spend": "off"},
    "players": FOUR[:2],
    "supply": {"squash": 3, "carrot": 3, "tomato": 3, "artichoke": 3, "eggplant": 3},
    "board": {
        "2,2": {"piece": "artichoke/seed", "owner": "blue"},
        "2,3": {"piece": "tomato/vegetable", "owner": "blue"},
        "6,1": {"piece": "carrot/vegetable", "owner": "blue"},
        "4,4": {"piece": "rabbit", "owner": "green", "discs": 2},
        "5,5": {"piece": "squash/seed", "owner": "green"},
    },
    "turn": TURN,
}
CHAIN = {
    "4,5": {"piece": "eggplant/vegetable", "owner": "blue"},
    "4,4": {"piece": "artichoke/vegetable", "owner": "green"},
    "3,4": {"piece": "tomato/vegetable", "owner": "blue"},
    "3,3": {"piece": "carrot/vegetable", "owner": "green"},
    "2,3": {"piece": "carrot/vegetable", "owner": "green"},
    "5,5": {"piece": "scarecrow", "owner": "green"},
    "4,6": {"piece": "squash/seed", "owner": "green"},
}
RUSH: Mapping[str, Any] = {
    "game": "garden-rush",
    "players": [
        {"colour": "pink", "score": 5, "garden": {"3,3": "tomato/double", "3,4": "carrot/single"}},
        {"colour": "blue", "score": 3, "garden": {"2,2": "potato/single", "2,3": "broccoli/double"}},
    ],
    "hedge": ["carrot", "eggplant", "tomato", "broccoli", "potato"],
    "trampoline": "potato",
    "sack": {"carrot": 10, "eggplant": 11, "tomato": 10, "broccoli": 10, "potato": 9},
    "turn": {"player": "pink"},
}
GUESTS: Mapping[str, Any] = {
    "game": "garden-guests",
    "teams": [
        {"team": "black", "collection": [1, 3], "guests": 10, "stones": 30, "hands": [5, 6], "deck": 36},
        {"team": "gold", "collection": [4, 2], "guests": 9, "stones": 35, "hands": [4, 5], "deck": 40},
    ],
    "turn": {"team": "black", "player": 0},
    "next_player": {"black": 1, "gold": 0},
}


DUE = DICE | {"turn": TURN | {"dice": [2], "spent": [1, 3, 4]}}  # one die is left
WATERED = {"2,2": ("artichoke/vegetable", "disc/blue")}  # which takes another die than that
WELL = Readings("v4l2:0", 9.8, 55.0, 7.5, 0.4, {}, 61.0, 12_000.0, __version__)
ILL = Readings(
    "v4l2:0", 0.8, 18.0, 3.1, 1.2, {"confirm": True, "undo": False}, 82.0, 40.0, __version__, 120.0, "low", 2.4, 3, True
)

WALL = ("-1,2", "-2,2", "-2,4", "-3,3", "-3,4")  # around one of Black's colonies
WAYS: Mapping[str, Any] = {
    **GUESTS,
    "spaces": {
        "-4,2": {"team": "black", "guests": 1},
        "-2,-1": {"team": "black", "guests": 2},
        "-2,3": {"team": "black", "guests": 1},
        **{at: {"team": "gold", "stone": True} for at in WALL},
    },
    "teams": [{**GUESTS["teams"][0], "guests": 9}, {**GUESTS["teams"][1], "stones": 35 - len(WALL)}],
}


@dataclass(frozen=True)
class Scene:
    """A position, what lies otherwise by now, and for how many pictures it has."""

    position: Mapping[str, Any]
    lay: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dice: Sequence[int] | None = None
    unsure: Sequence[str] = ()
    still: int = 1
    sight: str = "settled"
    error: str = ""  # why nothing is seen
    machine: Sequence[str] = ()  # what is to be known of it; both are keys of the words
    plies: int = 0  # actions that were played from a game's beginning; the position is then only its game


SCENES: Mapping[str, Scene] = {
    "calm": Scene(DICE),
    "proposed": Scene(DICE | {"players": FOUR}, {"6,1": ()}, unsure=("1,1", "3,3")),
    "chain": Scene(DICE | {"turn": TURN | {"dice": [5, 6]}, "board": CHAIN}),
    "illegal": Scene(DUE, WATERED, still=40),
    "dice-asked": Scene(DICE | {"turn": {"player": "blue"}}, {"5,6": ("tomato/seed", "disc/blue")}, (), still=40),
    "unexplained": Scene(
        DICE, {"3,3": ("squash/vegetable", "disc/green"), "5,1": ("eggplant/seed", "disc/green")}, still=40
    ),
    "hidden": Scene(DICE, sight="hidden"),
    "lost": Scene(DICE, sight="lost", error="board-not-found"),
    "eye-failed": Scene(DICE, sight="lost", error="eye-failed"),
    "referee-failed": Scene(DICE, sight="lost", error="referee-failed"),
    "eye-ended": Scene(DICE, sight="lost", error="eye-ended"),
    "camera-moved": Scene(DICE | {"players": FOUR}, {"6,1": ()}, machine=("camera-moved",)),
    "camera-changed": Scene(DUE, WATERED, still=40, machine=("camera-changed",)),
    "played": Scene({"game": "garden-dice"}, plies=60),
    "over": Scene({"game": "garden-dice"}, plies=1000),
    "rush-placed": Scene(RUSH, {"pink-4,5": ("potato/double",), "trampoline": ("carrot/double",)}),
    "rush-illegal": Scene(RUSH, {"hedge-3": (), "pink-4,3": ("tomato/double",)}, still=40),
    "rush-calm": Scene(RUSH),
    "guests-colony": Scene(GUESTS, {"-4,2": ("guest/black", "marker/sunflower")}),
    "guests-calm": Scene(GUESTS),
    "guests-ways": Scene(WAYS),
}


@cache
def _played(name: str, plies: int) -> tuple[State, tuple[Action, ...]]:
    """How a game begins, and what is played, so many actions or until it is over."""
    game, random = load_game(name), Random(2)
    begun = state = start(game, 2, {}, random, own_kit(name))
    actions: list[Action] = []
    while len(actions) < plies and (action := choose(game, state, random)) is not None:
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed)
        actions.append(action)
        state = ruling.state
    return begun, tuple(actions)


class DemoGame:
    """A game that nobody plays: see `companion.ui.showing.Game`."""

    def __init__(self, scene: Scene, log: Log) -> None:
        self.table, self.inbox = Table(own_kit(log.session.game.name), log), Inbox()
        self.table.step(Seen(_sighting(Scene(scene.position), log, 1)))
        for number in range(scene.still):
            self.table.step(Seen(_sighting(scene, log, 2 + number)))

    def meet(self, looked: Looked) -> None:
        """There is no camera."""

    def broke(self, error: Exception, what: str = "") -> None:
        raise error

    def agree(self) -> None:
        """There are no players who wait."""


class DemoHouse:
    """See `companion.ui.app.House`.  Its games are gone with its folder."""

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder, Games(NAMES, load_game), lambda: A_MOMENT_S)
        self.showing: Showing | None = None  # the scene on the table
        self.inbox = Inbox()  # nothing comes in
        self.readings = WELL
        self._photograph: Any = None
        self._bench: DemoBench | None = None

    def put_on_the_table(self, name: str, language: str) -> Showing:
        scene = SCENES[name]
        game = load_game(scene.position["game"])
        kit, written = own_kit(game.name), dict(scene.position)
        if game.name == "garden-guests":  # the board is the kit's
            fresh = game.write_position(start(game, 4, {}, Random(1), kit))
            written = {"board": fresh["board"], **written}
        begun, actions = _played(game.name, scene.plies) if scene.plies else (None, ())
        log = self._shelf.begin(game, begun or game.read_position(Field(written), kit))
        for step in (actions[:-1], actions[-1:]):  # what the last one brought is shown
            if step:
                log.confirm(*step)
        self._photograph = None
        self.showing = Showing(DemoGame(scene, log), kit, Teller(game, language))
        for key in scene.machine:
            self.showing.meet(Noticed(key))
        return self.showing

    def alive(self, table: bool = True) -> None:
        """Nobody asks."""

    def close(self) -> None:
        """Put the scene away."""
        if self.showing is not None:
            self.showing.game.table.log.close()
            self.showing.game.inbox.close()
        self.showing = None

    def home(self, language: str) -> Home:
        return home(list(self._shelf.all()), self._shelf.latest(), {}, True, language)

    def past(self, language: str) -> Past:
        return past(list(self._shelf.all()), {}, language)

    def new_game(self, draft: Draft | None, language: str) -> NewGame:
        kits = [(load_game(name), own_kit(name)) for name in NAMES]
        draft = draft or first_draft(*kits[0])
        return new_game(draft, kits, Teller(load_game(draft.kit.game), language))

    def naming(self) -> Naming:
        """A name that is being typed."""
        return Naming(first_draft(load_game(NAMES[0]), own_kit(NAMES[0])), "blue", "Anna")

    def keyboard(self, naming: Naming, language: str) -> Keyboard:
        return keyboard(naming, Teller(load_game(naming.draft.kit.game), language))

    def scores(self, number: int | None, language: str) -> Scores:
        assert self.showing is not None
        session = self.showing.game.table.log.session
        return scores(session, Teller(session.game, language))

    def health(self, language: str) -> Health:
        return health(self.readings, language)

    def pressed(self) -> Mapping[str, bool] | None:
        return self.readings.buttons

    def bundle(self, language: str) -> str:
        return ""

    def write(self, number: int | None, to: Write, language: str) -> str:
        return ""

    def archive(self, number: int) -> None:
        """They stay."""

    def resume(self, number: int, language: str) -> Showing:
        return self.put_on_the_table("calm", language)

    def begin(self, begin: Begin, language: str) -> Showing:
        return self.put_on_the_table("calm", language)

    def watch(self) -> None:
        """There is no camera."""

    def picture(self) -> Any:
        """What a camera over the scene would show, with the board that it sees: (height, width, 3) uint8 BGR."""
        if self._photograph is None and self.showing is not None:
            session, kit = self.showing.game.table.log.session, self.showing.kit
            pixels, truth = position_photographed(kit, session.state, 0)
            corners: Mapping[str, Any] = {board: tuple(map(tuple, at)) for board, at in truth["boards"].items()}
            seen = Observation({board: BoardSight(at, 0.3) for board, at in corners.items()}, {}, {}, ())
            self._photograph = preview(Frame(pixels), seen, kit, WIDEST_PX)
        return self._photograph

    def kits(self, language: str) -> Kits:
        return kits(benches(), language)

    def beds(self, folder: str) -> Beds:
        kit = own_kit(WITH_BEDS)
        return Beds(folder, kit.patterns, next(iter(kit.patterns)), 2)

    def beds_view(self, beds: Beds, language: str) -> BedsView:
        return beds_view(beds, Teller(load_game(WITH_BEDS), language))

    def keep_beds(self, beds: Beds) -> None:
        """Nothing comes of it."""

    def copy_view(self, edit: Edit, language: str) -> CopyView:
        copy = next(copy for copy in benches().copies if copy.folder == edit.folder)
        return copy_view(copy, edit, "/var/lib/garden-companion/aside", language)

    def change_copy(self, change: Change, language: str) -> None:
        """They stay."""

    def new_copy(self, game: str, language: str) -> Job:
        return Job("board", "garden-dice-1", "board")

    def lay_out(self, name: str) -> Desk:
        """A step of calibrating in the middle of something; how the screen stands then."""
        self._bench = demo_benches()[name]
        return self._bench.desk

    def work(self, job: Job) -> None:
        self._bench = next(each for each in demo_benches().values() if each.stand.job.step == job.step)

    def finish(self) -> None:
        """Nothing is written."""

    def broke(self, error: Exception) -> None:
        """Of demo data nothing is kept; where it was shown to be tried out, it is told."""
        raise error

    def bench(self, desk: Desk, language: str) -> Bench | None:
        if self._bench is None:
            return None
        return bench(self._bench.stand, desk, language, Teller(load_game(self._bench.game), language))

    def deed(self, deed: Deed) -> None:
        """Nothing comes of it."""

    def bench_picture(self) -> tuple[int, Any]:
        if self._bench is None:
            return 0, None
        return 1, picture_of(self._bench)

    def rest(self) -> None:
        """Nobody is at work."""


def _sighting(scene: Scene, log: Log, picture: int) -> Sighting:
    """What an eye might tell of it."""
    game, kit = log.session.game, own_kit(log.session.game.name)
    turn = game.write_position(log.session.state)["turn"]
    if scene.sight != "settled":
        return Sighting(picture, scene.sight, error=scene.error)
    table = {**expected_table(game, log.session.state, kit), **scene.lay}
    spaces = {space: Reading(tuple(pieces), SURE) for space, pieces in table.items() if space not in scene.unsure}
    values = scene.dice if scene.dice is not None else (*turn.get("dice", ()), *turn.get("spent", ()))
    dice = tuple(Die(value, (1000.0, 100.0 * number), SURE) for number, value in enumerate(values))
    boards = {board.id: BoardSight(CORNERS, 0.3) for board in kit.boards}
    seen = Observation(boards, spaces, dict.fromkeys(scene.unsure, "hidden"), dice)
    changed = dict.fromkeys([*scene.lay, *scene.unsure], picture if picture > 1 else 0)
    return Sighting(picture, "settled", False, seen, picture <= 2, True, changed)
