"""An action, told by choosing: what kind, where, with what, one tap after the other.

Draw a `Menu` as its title, its lines and its taps; spaces of the board that are named in `spaces` can be tapped too,
and come to the same.  What a tap carries is the next step, or what is wanted in the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from companion.account import Teller
from companion.kit import Kit
from companion.rules import Action, Allowed, Happened, Refused, State, Unsettled, judge, legal_actions
from companion.ui.view.places import Atom, atoms, spaces_named
from companion.ui.view.taps import Tap, To
from companion.ui.view.wording import kind_of

MOST_SENTENCES = 5  # actions that are told in whole sentences; where there are more, what they differ in is asked


@dataclass(frozen=True)
class Menu(Generic[To]):
    title: str
    lines: tuple[str, ...] = ()
    taps: tuple[Tap[To], ...] = ()
    spaces: Mapping[str, To] = field(default_factory=dict)


@dataclass(frozen=True)
class Picked:
    """What is chosen so far: the first parts of an action; then a begun one, of which something is still to be told."""

    path: tuple[Atom, ...] = ()
    action: Action | None = None
    extra: bool = False  # the action is whole; what is being chosen is its bonus


NOTHING_YET = Picked()


@dataclass(frozen=True)
class Chooser(Generic[To]):
    """What may be chosen in a position.  `done` and `on` say what a tap carries: a whole action, or the next step."""

    state: State
    kit: Kit
    teller: Teller
    done: Callable[[Action], To]
    on: Callable[[Picked], To]

    def menu(self, picked: Picked) -> Menu[To]:
        words, action = self.teller.common["choose"], picked.action
        if action is None:
            return self._by_parts(self._candidates(), picked, words["what"])
        if picked.extra:
            menu = self._by_parts(self._extras(action), picked, words["bonus"])
            without = Tap(words["no-bonus"], self.done(action))
            return replace(menu, lines=(self._told(action), *menu.lines), taps=(without, *menu.taps))
        ways = [(way, to) for way in self._longer(action) if (to := self._after(way)) is not None]
        taps = tuple(Tap(self._last(action, way), to) for way, to in ways)
        new = [(_changed(self._written(action), self._written(way)), way, to) for way, to in ways]
        spaces = {space: to for atom, way, to in new for space in self._spaces(atom, way)}
        return Menu(words["more"], (), taps, spaces)

    # What there is to choose from

    def _candidates(self) -> list[Action]:
        """Every action that may be done; of a kind that is told piece by piece only how it begins."""
        game, state = self.teller.game, self.state
        besides = list(game.besides(state))
        begun = {type(action) for action in besides}
        return [*(action for action in legal_actions(game, state) if type(action) not in begun), *besides]

    def _longer(self, action: Action) -> list[Action]:
        """A begun action with its next piece; one of which something is missing with each thing that it may be."""
        game, state = self.teller.game, self.state
        if ways := list(game.further(state, action)):
            return ways
        ruling = judge(game, state, action)
        return list(game.answers(state, action, ruling.missing[0])) if isinstance(ruling, Unsettled) else []

    def _extras(self, action: Action) -> list[Action]:
        """The action with each bonus, as far as that may be done."""
        game, state = self.teller.game, self.state
        ruling = judge(game, state, action)
        found = game.extras(state, action, ruling) if isinstance(ruling, Allowed) else ()
        return [longer for longer in found if not isinstance(judge(game, state, longer), Refused)]

    def _after(self, action: Action) -> To | None:
        """What a tap on an action carries: its next piece, its bonus, or itself; None where it cannot be."""
        game, state = self.teller.game, self.state
        if self._longer(action):
            return self.on(Picked(action=action))
        if not isinstance(judge(game, state, action), Allowed):
            return None
        return self.on(Picked(action=action, extra=True)) if self._extras(action) else self.done(action)

    # How it is chosen

    def _by_parts(self, candidates: Sequence[Action], picked: Picked, title: str) -> Menu[To]:
        """A few in whole sentences; of many the next part in which they differ."""
        parts = {action: atoms(self._written(action)) for action in candidates}
        path = picked.path
        left = [action for action in candidates if parts[action][: len(path)] == path]
        while len(left) > 1 and len({parts[action][: len(path) + 1] for action in left}) == 1:
            path = parts[left[0]][: len(path) + 1]
        if len(left) <= MOST_SENTENCES:
            pairs = [(action, to) for action in left if (to := self._after(action)) is not None]
            return Menu(title, self._unjudged(left), tuple(Tap(self._told(action), to) for action, to in pairs))
        groups: dict[tuple[Atom, ...], list[Action]] = {}
        for action in left:
            groups.setdefault(parts[action][: len(path) + 1], []).append(action)
        taps, spaces = [], {}
        for longer, group in groups.items():
            to = self._after(group[0]) if len(group) == 1 else self.on(replace(picked, path=longer))
            if to is None:
                continue
            whole = len(longer) == len(path) or (len(group) == 1 and longer[-1][0] == "do")
            taps.append(Tap(self._told(group[0]) if whole else self._label(longer[-1]), to))
            spaces.update(dict.fromkeys(self._spaces(longer[-1], group[0]), to))
        return Menu(title, self._unjudged([group[0] for group in groups.values()]), tuple(taps), spaces)

    def _unjudged(self, actions: Sequence[Action]) -> tuple[str, ...]:
        """Why some of the actions cannot be told: what it would take to judge them, nobody here can say."""
        state, teller = self.state, self.teller
        open_ = (action for action in actions if not self._longer(action))
        rulings = (judge(teller.game, state, action) for action in open_)
        found = [teller.refusal(ruling) for ruling in rulings if isinstance(ruling, Unsettled)]
        return tuple(dict.fromkeys(found))

    def _written(self, action: Action) -> Mapping[str, Any]:
        return self.teller.game.write_action(action)

    def _told(self, action: Action) -> str:
        """Its sentence, and those of the bonuses within it; of a begun one its kind and what is told of it so far."""
        game, teller, state = self.teller.game, self.teller, self.state
        if next(iter(game.further(state, action)), None) is not None:
            kind, *others = (self._label(atom) for atom in atoms(self._written(action)))
            return f"{kind}: {', '.join(filter(None, others))}" if any(others) else kind
        ruling, sentences = judge(game, state, action), [teller.action(state, action)]
        if isinstance(ruling, Allowed):
            then = (event for event in ruling.events if isinstance(event, Happened) and event.name.startswith("then-"))
            sentences += (line for event in then for line in teller.events(Allowed(state, (event,))))
        elif (bonus := getattr(action, "bonus", None)) is not None:
            sentences.append(teller.action(state, bonus))
        return " ".join(sentences)

    def _last(self, before: Action, after: Action) -> str:
        """What one has that the other has not: a die, a token, a space; else its sentence."""
        atom = _changed(self._written(before), self._written(after))
        return self._label(atom) if atom else self._told(after)

    def _label(self, atom: Atom) -> str:
        key, value = atom[0].rpartition(".")[2], json.loads(atom[1])
        if key == "do":
            return kind_of(self.teller, value) if value in self.teller.common["do"] else self.teller.name(value)
        if isinstance(value, list):
            return " + ".join(self.teller.name(str(part)) for part in value)
        return self.teller.name(str(value))

    def _spaces(self, atom: Atom | None, action: Action) -> Iterator[str]:
        return spaces_named(atom, action, self.state, self.kit, self.teller.game) if atom else iter(())


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Atom | None:
    """The part that is new in `after`; of a list its new last entry."""
    for key, value in after.items():
        old = before.get(key)
        if value != old:
            new = value[-1] if isinstance(value, list) and len(value) == len(old or ()) + 1 else value
            return key, json.dumps(new)
    return None
