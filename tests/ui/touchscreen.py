"""A touchscreen that a test can look at and tap: Kivy's own window, drawn without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from companion.account import Teller
from companion.commands import own_kit
from companion.commands.demo import DemoHouse
from companion.games import NAMES, load_game
from companion.live import Inbox, Looked
from companion.observation import BoardSight
from companion.referee import expected_table
from companion.rules import Action, Allowed, State, judge
from companion.simulate.players import choose, start
from companion.store.log import Log
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.table import Table, Tell
from companion.ui.showing import Showing
from companion.ui.view.choosing import Chooser, Picked
from companion.vision.watch import Sighting
from tests.referee.seen import sight
from tests.ui.tables import CORNERS

ROOT = Path(__file__).parent.parent.parent
FRAMES = 8  # of the screen, until what came in is shown for certain


class Seated:
    """A game that is followed from tables as an eye might report them, through its inbox."""

    def __init__(self, log: Log) -> None:
        self.log, self.game = log, log.session.game
        self.kit = own_kit(self.game.name)
        self.table, self.inbox = Table(self.kit, log), Inbox()
        self.picture = 0
        self.events = 0  # that were handed to the table, but for pictures

    @property
    def state(self) -> State:
        return self.log.session.state

    def meet(self, looked: Looked) -> None:
        from companion.table import Seen

        assert isinstance(looked.seen, Sighting)
        self.table.step(Seen(looked.seen))

    def broke(self, error: Exception, what: str = "") -> None:
        raise error

    def agree(self) -> None:
        self.events += 1

    def lies(self, state: State, otherwise: Mapping[str, Sequence[str]] | None = None) -> None:
        """The table lies as a position says, but for what lies otherwise, and is seen."""
        self.picture += 1
        table = {**expected_table(self.game, state, self.kit), **(otherwise or {})}
        changed = dict.fromkeys(table, self.picture)
        seen = sight(table)
        boards = {board.id: BoardSight(CORNERS, 0.3) for board in self.kit.boards}
        seen = type(seen)(boards, seen.spaces, seen.unsure)
        self.inbox.put(Looked(str(self.picture), Sighting(self.picture, "settled", False, seen, True, True, changed)))

    def close(self) -> None:
        self.log.close()
        self.inbox.close()


class Played(Seated):
    """A new one."""

    def __init__(self, folder: Path, name: str, seed: int) -> None:
        self.random = Random(seed)
        game = load_game(name)
        begun = start(game, 2, {}, self.random, own_kit(name))
        super().__init__(Shelf(folder, Games(NAMES, load_game), lambda: 0.0).begin(game, begun))


class Touchscreen:
    """An app in the one window of the process."""

    def __init__(self, house: Any) -> None:
        from companion.rules import LANGUAGES
        from companion.ui.app import TouchApp
        from companion.ui.theme import LIGHT

        self.app = TouchApp(house, LIGHT, 7.0, LANGUAGES, "en")
        self.app._run_prepare()  # what `run` does before its loop; the test turns the loop itself
        self.frames()

    def frames(self, count: int = FRAMES) -> None:
        from kivy.base import EventLoop

        for _ in range(count):
            EventLoop.idle()
        while self.app.is_saving:  # a busy machine's disk
            EventLoop.idle()

    def there(self) -> list[Any]:
        """The keys on the screen."""
        from companion.ui.parts import Key

        return [widget for widget in self.app.screen.walk() if isinstance(widget, Key) and not widget.disabled]

    def key(self, text: str) -> Any:
        """The key with this text, turning the pages as need be."""
        for page in range(99):
            self.frames(3)
            if found := next((key for key in self.there() if key.text == text), None):
                return found
            body = self.app.screen.ids.body
            assert page < body.pages, f"{text!r} is not on {self.app.screen}: {[key.text for key in self.there()]}"
            body.page = (body.page + 1) % body.pages
        raise AssertionError

    def touch(self, key: Any) -> None:
        """One finger down on the middle of it, and up again; and what comes of it drawn."""
        self.tap(key)
        self.frames(3)

    def tap(self, key: Any) -> None:
        from kivy.tests.common import UnitTestTouch

        finger = UnitTestTouch(*key.to_window(*key.center))
        finger.touch_down()
        finger.touch_up()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        from kivy.tests.common import UnitTestTouch

        finger = UnitTestTouch(*start)
        finger.touch_down()
        finger.touch_move(*end)
        finger.touch_up()
        self.frames(3)

    def press(self, key: Any) -> None:
        """With the two buttons alone: the one until it is framed, then the other."""
        for _ in range(60):
            if key.is_framed:
                break
            self.app.undo_button()
        assert key.is_framed, key.text
        self.app.confirm_button()
        self.frames(3)


def measured(size: str, folder: Path) -> None:
    """All screens of a size drawn into a folder, in the theme of most contrast: nothing is cut or in the way."""
    command = [sys.executable, "-m", "companion", "screens", str(folder), "--size", size, "--theme", "contrast"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / f"table-proposed-hu-{size}-contrast.png").stat().st_size > 10_000


def actions_of(played: Played) -> Iterator[tuple[Action, State]]:
    """A game played with some sense: each action and what comes of it."""
    state = played.state
    while (action := choose(played.game, state, played.random)) is not None:
        ruling = judge(played.game, state, action)
        assert isinstance(ruling, Allowed)
        state = ruling.state
        yield action, state


def told_by_taps(action: Action, state: State, showing: Showing) -> list[str]:
    """The texts of the keys that tell an action on the screen for that."""
    chooser = Chooser[Any](state, showing.kit, showing.teller, lambda done: Tell((done,)), lambda to: to)
    waiting: list[tuple[Picked, list[str]]] = [(Picked(), [])]
    while waiting:
        picked, path = waiting.pop()
        for tap in chooser.menu(picked).taps:
            if tap.to == Tell((action,)):
                return [*path, tap.text]
            if isinstance(tap.to, Picked) and len(path) < 6:
                waiting.append((tap.to, [*path, tap.text]))
    raise AssertionError(f"{action} cannot be told")


def showing_of(played: Seated) -> Showing:
    return Showing(played, played.kit, Teller(played.game, "en"))


__all__ = ["DemoHouse", "Played", "Touchscreen", "actions_of", "showing_of", "told_by_taps"]
