"""Pieces, spaces and actions in the words of a game, short enough for a screen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from companion.account import Teller
from companion.change import Pieces
from companion.export.summary import title
from companion.kit import TRACK, Kit
from companion.referee import Explanation, Misplaced
from companion.rules import LANGUAGES, Action, Allowed, Scored, State, judge
from companion.words import words

MOST_PLACES = 5
GIVEN_NAMES = (("new", "own-print"), ("bench", "own-copy"))  # of copies, in the words
PLACES = ("at", "to", "kind", "ends", "card")  # what an action is about, the first that it has


def say(teller: Teller, key: str, **facts: Any) -> str:
    return str(teller.common["view"][key]).format(**facts)


def capital(text: str) -> str:
    """A text as it begins on a key."""
    return text[:1].upper() + text[1:]


def piece_name(teller: Teller, piece: str) -> str:
    """`stone/gold` as the words say it: by its own name, else by those of its parts."""
    if (name := teller.name(piece)) != piece:
        return name
    kind, slash, of = piece.partition("/")
    return say(teller, "piece", of=teller.plain(of), kind=teller.name(kind)) if slash else piece


def place_name(teller: Teller, space: str, kit: Kit) -> str:
    """A space in words, by the kit's id or the game's own name.

    `hedge-3` as the third of the hedge, `pink-4,3` by whose garden it is in, one of a score track by its number.
    """
    found = next((each for each in kit.spaces if each.id == space), None)
    if found is not None and found.kind == TRACK:
        return say(teller, "on-track", score=found.tags["score"])
    place = (teller.game.place(found) if found is not None else None) or space
    ground, _, at = place.partition("-")
    known = teller.common["ground"].get(ground) or (teller.name(ground) if teller.name(ground) != ground else "")
    return " ".join(filter(None, (known, at))) if known else place


def marker_text(teller: Teller, marker: Misplaced, kit: Kit) -> str:
    """Whose score marker stands wrongly, on which number it belongs, and on which it stands, where that was seen."""
    scores = {space.id: space.tags["score"] for space in kit.of_kind(TRACK)}
    side = marker.piece.rpartition("/")[2]
    told = teller.common["follow"]["marker" if marker.at is None else "marker-stands"]
    facts = {"name": teller.name(side), "score": scores[marker.belongs_at], "at": scores.get(marker.at or "")}
    return capital(str(told).format(**facts))


def copy_name(name: str, game: str, language: str) -> str:
    """What a copy of a game is called; a name that the project gave is told in the language that is spoken."""
    for table, key in GIVEN_NAMES:
        for spoken in LANGUAGES:
            given = str(words("companion", spoken)[table][key]).format(game=title(game), number="(NUMBER)")
            found = re.fullmatch(re.escape(given).replace(re.escape("(NUMBER)"), r"(\d+)"), name)
            if found:
                told = str(words("companion", language)[table][key])
                return told.format(game=title(game), number="".join(found.groups()))
    return name


def initial(teller: Teller, who: str) -> str:
    """The letter that stands for a player or a team."""
    return teller.plain(who)[:1].upper()


def option_label(words: Mapping[str, str], value: Any) -> str:
    """A value of a house rule, by its JSON."""
    return words[json.dumps(value).strip('"')]


def pieces_text(teller: Teller, pieces: Pieces) -> str:
    return ", ".join(piece_name(teller, piece) for piece in pieces) or say(teller, "empty")


def sentences(teller: Teller, met: State, actions: Iterable[Action]) -> Iterator[str]:
    """Each action's sentence, as far as they are legal one after another, and the first that is not."""
    for action in actions:
        yield teller.action(met, action)
        ruling = judge(teller.game, met, action)
        if not isinstance(ruling, Allowed):
            return
        met = ruling.state


def in_a_row(teller: Teller, met: State, explanation: Explanation) -> str:
    return " ".join(sentences(teller, met, explanation.actions))


def points_text(teller: Teller, scored: Iterable[Scored]) -> str:
    """Who gets how much in all; empty where nobody does."""
    totals: dict[str, int] = {}
    for event in scored:
        totals[event.player] = totals.get(event.player, 0) + event.points
    return ", ".join(f"{teller.name(who)} {points:+d}" for who, points in totals.items())


def may_be_done(teller: Teller, state: State) -> tuple[str, ...]:
    """What the player on turn may do, a line for each kind of action with the places, or how many there are."""
    legal = teller.game.legal(state)
    by_kind: dict[str, dict[str, None]] = {}
    for written in legal["actions"]:
        by_kind.setdefault(written["do"], {})[_about(teller, written)] = None
    for path in legal.get("paths", ()):
        by_kind.setdefault("path", {})[" → ".join(path["ends"])] = None
    return tuple(": ".join(filter(None, (kind_of(teller, do), _listed(list(at))))) for do, at in by_kind.items())


def kind_of(teller: Teller, do: str) -> str:
    """What kind of action it is, in words; those that are typed hang together."""
    return str(teller.common["do"][do]).replace("-", " ")


def _about(teller: Teller, written: Mapping[str, Any]) -> str:
    if "cells" in written:
        return "+".join(written["cells"])
    found = next((written[key] for key in PLACES if key in written), "")
    return teller.name(str(found))


def _listed(places: list[str]) -> str:
    more = f" … ({len(places)})" if len(places) > MOST_PLACES else ""
    between = " · " if any("," in place for place in places) else ", "  # 4,5 is one place
    return between.join(places[:MOST_PLACES]) + more
