"""A game told as it is followed, where there is no screen: in lines for programs, in words for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from companion.account import Teller
from companion.commands.following import Following
from companion.commands.telling import Line, told
from companion.document import Field
from companion.live import Ended, Message, Noticed, Pressed, Stopped
from companion.referee import Illegal, Unexplained
from companion.rules import Allowed, State, judge
from companion.ui.keeping import waited_for
from companion.ui.view.wording import place_name

OF_NO_NEWS = ("moving", "settled", "hidden", "light")
SAVING = "saving"

Lines = list[tuple[Line, State]]


class Narrator:
    """Tells what is found and confirmed, until the camera, the game or somebody makes an end."""

    def __init__(self, following: Following, teller: Teller, as_json: bool, most_turns: int | None = None) -> None:
        self.following, self.teller, self.as_json, self.most_turns = following, teller, as_json, most_turns
        self._acting = ""
        self._turns = 0

    def run(self) -> int:
        """Returns the exit status: 1 where the game and the table do not agree in the end."""
        status = None
        while status is None:
            for message in self.following.inbox.take():
                status = self.take_in(message)
                if status is not None:
                    break
        if not self.as_json:
            session = self.following.table.log.session
            self._print("\n".join(["", *self.teller.score(session.game.score(session.state), self._over())]))
        return status

    def take_in(self, message: Message) -> int | None:
        """What follows for the exit status."""
        match message:
            case Stopped(status):
                return status
            case Ended(fault):
                if fault is not None:
                    raise fault
                return self._at_the_end()
            case Noticed(key, over):
                self._notice(key, over)
                return None
            case Pressed(button):
                lines = self._kept(lambda: self.following.press(button))
            case _:
                lines = self._kept(lambda: self.following.meet(message))
        for line, met in lines:
            self._tell(line, met)
        return self._at_the_end() if self._over() or self._is_enough() else None

    def _at_the_end(self) -> int:
        return 1 if isinstance(self.following.table.shown.finding, Illegal | Unexplained) else 0

    def _over(self) -> bool:
        session = self.following.table.log.session
        return session.game.over(session.state)

    def _is_enough(self) -> bool:
        return self.most_turns is not None and self._turns > self.most_turns

    def _kept(self, deed: Callable[[], Lines]) -> Lines:
        """What comes of it; that it has to wait for the disk is told."""
        return waited_for(deed, self._saves, lambda: self.following.table.log.waits_s)

    # Telling

    def _saves(self, waits: bool) -> None:
        if self.as_json:
            self._print(json.dumps({"machine": SAVING} | ({} if waits else {"over": True})))
        elif waits:
            self._print(str(self.teller.common["touch"][SAVING]))

    def _tell(self, line: Line, met: State) -> None:
        if line.get("confirmed"):
            actions = list(self._actions(line, met))
        if self.as_json:
            self._print(json.dumps(line, ensure_ascii=False))
        elif line.get("confirmed") and "proposal" in line:
            self._print("\n".join(actions))
        elif "resumed" in line:
            kit, key = self.following.table.kit, "kept-otherwise" if line["differs"] else "kept-so"
            spaces = ", ".join(place_name(self.teller, at, kit) for at in line["differs"])
            self._print(str(self.teller.common["terminal"][key]).format(spaces=spaces))
        elif line.get("sight") not in OF_NO_NEWS:
            self._print(told(line, self.teller, met, self.following.table.kit))

    def _notice(self, key: str, over: bool) -> None:
        if self.as_json:
            self._print(json.dumps({"machine": key} | ({"over": True} if over else {})))
        elif not over:
            self._print(str(self.teller.common["machine"][key]))

    def _actions(self, line: Line, met: State) -> Iterator[str]:
        """What was done, with what came of it; a blank line where another player's turn begins."""
        game = self.teller.game
        for written in line.get("proposal", ()):
            action = game.read_action(Field(written), met)
            if (acting := self.teller.acting(met, action)) != self._acting:
                self._acting, self._turns = acting, self._turns + 1
                yield ""
            ruling = judge(game, met, action)
            yield "\n  ".join(self.teller.lines(met, action, ruling))
            if isinstance(ruling, Allowed):
                met = ruling.state

    def _print(self, text: str) -> None:
        print(text, flush=True)
