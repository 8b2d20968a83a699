"""A new game, as it is being put together.

A `Draft` holds what is chosen so far; `new_game` shows it, and every tap but `begin` carries the draft as it is then.
Draw the rows from top to bottom, each with its taps beside each other; the seats in their order, from the one who
begins, clockwise.  `start` is what it comes to: lines to read, and by the kit's spaces what to lay there.  Where
something is still `wrong` there is no `begin`; `notices` tell what cannot be judged with this copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.account import Teller
from companion.change import Pieces
from companion.document import Fault, Field
from companion.export.summary import title
from companion.kit import Kit
from companion.referee import expected_table
from companion.rules import Game, Option, Seating, State
from companion.session import Session
from companion.ui.view.sides import sides_of
from companion.ui.view.taps import Tap
from companion.ui.view.wording import capital, copy_name, option_label, pieces_text, place_name


@dataclass(frozen=True)
class Draft:
    """A game with a kit; `sides` in turn order, the first begins; the house rules that differ from the book."""

    kit: Kit
    players: int
    sides: tuple[str, ...]
    options: Mapping[str, Any]
    dealt: tuple[str | None, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)  # the players' own, by side


@dataclass(frozen=True)
class Last:
    """A game that was played before: how it began, and what its players called themselves."""

    session: Session
    names: Mapping[str, str]


@dataclass(frozen=True)
class Begin:
    """Begin a game on these boards; `names` are the players' own."""

    kit: Kit
    start: State
    names: Mapping[str, str]


@dataclass(frozen=True)
class Seat:
    """Who plays, in turn order, and how: earlier or later, not at all, first.  Whose own name it is can be typed."""

    name: str
    side: str
    note: str
    taps: tuple[Tap[Draft], ...]


@dataclass(frozen=True)
class HouseRule:
    """A house rule: its clause, why it is asked, and the ways to play it; `changed` where it is not as in the book."""

    name: str
    clause: str
    why: str
    taps: tuple[Tap[Draft], ...]
    changed: bool


@dataclass(frozen=True)
class Dealt:
    """A place on which chance has laid something, by the kit's space and in words; `lies` is what, where known."""

    space: str
    name: str
    lies: str
    taps: tuple[Tap[Draft], ...]


@dataclass(frozen=True)
class NewGame:
    draft: Draft
    kits: tuple[Tap[Draft], ...]
    players: tuple[Tap[Draft], ...]
    teams: tuple[Tap[Draft], ...]
    seats: tuple[Seat, ...]
    more: tuple[Tap[Draft], ...]  # sides that may join in place of one that plays
    rules: tuple[HouseRule, ...]
    dealt: tuple[Dealt, ...]
    start: tuple[str, ...]
    table: Mapping[str, Pieces]
    wrong: tuple[str, ...]
    notices: tuple[str, ...]
    begin: Tap[Begin] | None


def first_draft(game: Game, kit: Kit, last: Last | None = None) -> Draft:
    """As few as can play, by the book; who played the game last, and how, where that can be with this copy."""
    seating = game.seating(kit)
    fewest = _seated(Draft(kit, 0, (), {}), seating, min(seating.counts))
    if last is None or last.session.game.name != game.name:
        return fewest
    position = game.write_position(last.session.start)
    entries = position.get("players") or position["teams"]
    sides = tuple(entry.get("colour") or entry["team"] for entry in entries)
    players = sum(len(entry.get("hands") or [0]) for entry in entries)
    if not set(sides) <= set(seating.sides) or len(sides) not in seating.counts.get(players, ()):
        return fewest
    return replace(fewest, players=players, sides=sides, options=position["options"], names=dict(last.names))


def with_seen(draft: Draft, game: Game, seen: Mapping[str, Pieces]) -> Draft:
    """With what the camera sees, by the kit's spaces, on the places that chance has filled."""
    dealt = game.seating(draft.kit).dealt
    spaces = {game.place(space): space.id for space in draft.kit.spaces}
    kinds = [seen.get(spaces.get(place, ""), ("",))[:1] for place in dealt]
    tokens = [kind[0].partition("/")[0] if kind else "" for kind in kinds]
    found = tuple(token if token in known else None for token, known in zip(tokens, dealt.values(), strict=True))
    return replace(draft, dealt=tuple(new or old for new, old in zip(found, draft.dealt, strict=True)))


def new_game(
    draft: Draft, kits: Sequence[tuple[Game, Kit]], teller: Teller, lasts: Mapping[str, Last] | None = None
) -> NewGame:
    """What a draft looks like.  `kits` are the copies that there are, with their games; `teller` tells the draft's.

    `lasts` are the games that were played last, by the game's name.
    """
    teller = Teller(teller.game, teller.language, draft.names)
    game, told = teller.game, teller.common["new"]
    seating = game.seating(draft.kit)
    wrong, start = _start(draft, game, teller)
    names = {side: name for side, name in draft.names.items() if side in draft.sides}
    if len(set(names.values())) < len(names):
        wrong = (*wrong, told["same-name"])
    counts = [Tap(str(n), _seated(draft, seating, n), chosen=n == draft.players) for n in seating.counts]
    forms = seating.counts[draft.players]
    teams = [
        Tap(told["teams"].format(count=n), _with_teams(draft, seating, n), chosen=n == len(draft.sides)) for n in forms
    ]
    return NewGame(
        draft=draft,
        kits=tuple(_kits(draft, kits, lasts or {}, teller.language)),
        players=tuple(counts) if len(counts) > 1 else (),
        teams=tuple(teams) if len(forms) > 1 else (),
        seats=tuple(_seats(draft, start, teller)),
        more=tuple(
            Tap(told["instead"].format(name=teller.plain(side)), replace(draft, sides=(*draft.sides[:-1], side)))
            for side in seating.sides
            if side not in draft.sides
        ),
        rules=tuple(_rule(draft, option, teller) for option in game.options),
        dealt=tuple(_dealt(draft, seating, teller)),
        start=tuple(_told(game, start, draft.kit, teller)) if start is not None else (),
        table=expected_table(game, start, draft.kit) if start is not None else {},
        wrong=wrong,
        notices=tuple(map(teller.missing, game.not_entered(start))) if start is not None else (),
        begin=Tap(told["begin"], Begin(draft.kit, start, names)) if start is not None and not wrong else None,
    )


def _seated(draft: Draft, seating: Seating, players: int) -> Draft:
    return _with_teams(replace(draft, players=players), seating, seating.counts[players][0])


def _with_teams(draft: Draft, seating: Seating, count: int) -> Draft:
    """With so many sides: those that played stay, in their order."""
    sides = [*draft.sides, *(side for side in seating.sides if side not in draft.sides)][:count]
    dealt = draft.dealt or (None,) * len(seating.dealt)
    return replace(draft, sides=tuple(sides), dealt=dealt)


def _kits(
    draft: Draft, kits: Sequence[tuple[Game, Kit]], lasts: Mapping[str, Last], language: str
) -> Iterator[Tap[Draft]]:
    for game, kit in kits:
        chosen = kit.folder == draft.kit.folder
        to = draft if chosen else first_draft(game, kit, lasts.get(game.name))
        yield Tap(copy_name(kit.name, kit.game, language), to, title(game.name), chosen)


def _seats(draft: Draft, start: State | None, teller: Teller) -> Iterator[Seat]:
    told, sides = teller.common["new"], draft.sides
    seats = _players_of(teller.game, start)
    for place, side in enumerate(sides):
        taps = []
        if place > 0:
            swapped = (*sides[: place - 1], side, sides[place - 1], *sides[place + 1 :])
            taps.append(Tap(told["earlier"], replace(draft, sides=swapped)))
            turned = (*sides[place:], *sides[:place])
            taps.append(Tap(told["first"], replace(draft, sides=turned)))
        notes = [told["begins"]] if place == 0 else []
        if side in seats:
            notes.append(told["players"].format(count=seats[side]))
        own = f"{teller.name(side)} ({teller.plain(side)})" if side in draft.names else teller.name(side)
        yield Seat(own, side, ", ".join(notes), tuple(taps))


def _players_of(game: Game, start: State | None) -> dict[str, int]:
    """How many players each team has, where teams play."""
    teams = game.write_position(start).get("teams", ()) if start is not None else ()
    return {team["team"]: len(team["hands"]) for team in teams if team.get("hands")}


def _rule(draft: Draft, option: Option, teller: Teller) -> HouseRule:
    words, clause = teller.words["options"][option.name], teller.clauses[option.clause]
    chosen = draft.options.get(option.name, option.default)
    taps = []
    for value in option.values:
        others = {name: kept for name, kept in draft.options.items() if name != option.name}
        options = others if value == option.default else {**others, option.name: value}
        note = teller.common["new"]["by-the-book"] if value == option.default else ""
        taps.append(Tap(option_label(words, value), replace(draft, options=options), note, value == chosen))
    return HouseRule(words["name"], clause.id, clause.text, tuple(taps), chosen != option.default)


def _dealt(draft: Draft, seating: Seating, teller: Teller) -> Iterator[Dealt]:
    spaces = {teller.game.place(space): space.id for space in draft.kit.spaces}
    for number, ((place, tokens), lies) in enumerate(zip(seating.dealt.items(), draft.dealt, strict=True)):
        taps = [Tap(teller.name(token), _laid(draft, number, token), chosen=token == lies) for token in tokens]
        yield Dealt(spaces.get(place, place), place_name(teller, place, draft.kit), teller.name(lies), tuple(taps))


def _laid(draft: Draft, number: int, token: str) -> Draft:
    return replace(draft, dealt=(*draft.dealt[:number], token, *draft.dealt[number + 1 :]))


def _start(draft: Draft, game: Game, teller: Teller) -> tuple[tuple[str, ...], State | None]:
    """All that is wrong, and the first position where there is one."""
    seating, told = game.seating(draft.kit), teller.common["new"]
    if lacking := [place for place, lies in zip(seating.dealt, draft.dealt, strict=True) if lies is None]:
        spaces = ", ".join(place_name(teller, place, draft.kit) for place in lacking)
        return (told["lacking"].format(spaces=spaces),), None
    dealt = tuple(lies for lies in draft.dealt if lies is not None)
    header = seating.header(draft.players, draft.sides, dealt)
    try:
        start = game.set_up(Field({**header, "options": dict(draft.options)}), draft.kit)
    except Fault as fault:
        return tuple(map(str, fault.args)), None
    return tuple(game.faults(start)), start


def _told(game: Game, start: State, kit: Kit, teller: Teller) -> Iterator[str]:
    """Who has what in front of them, and what lies in the middle."""
    for side in sides_of(Session.begin(game, start), teller):
        yield f"{side.name}: {', '.join(side.holds)}" if side.holds else side.name
    supply = game.write_position(start).get("supply", {})
    if supply:
        counts = ", ".join(f"{teller.name(kind)} {count}" for kind, count in supply.items())
        yield teller.common["new"]["supply"].format(counts=counts)
    for place, pieces in game.expected(start).items():
        at = capital(place_name(teller, place, kit))
        yield teller.common["view"]["lay"].format(at=at, pieces=pieces_text(teller, pieces))
