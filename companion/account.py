"""Telling rulings: as JSON for programs, in words for people.

Sentences live in the rulebook and in the word catalogue of each game; here they are only filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from companion.rulebook import rulebook
from companion.rules import (
    Action,
    Allowed,
    Event,
    Game,
    Happened,
    Refused,
    Ruling,
    Scored,
    State,
    Step,
    Stop,
    Unsettled,
    clauses_of,
)
from companion.words import words

ALWAYS_TOLD = ("total", "connected")  # items of a score sheet that are told even where they are nothing


class Sentence(Formatter):
    """Fills a template: `{piece}` by the name of what it stands for, `{piece:form}` by another form of that name.

    The form of the key `own` is that of names which players gave themselves, as in "{name}'s".
    """

    def __init__(self, vocabulary: Mapping[str, Any], own: Mapping[str, str]) -> None:
        """`own` are names that players gave themselves: one without such a form stands before the word that has it."""
        self.own = own
        self.names: Mapping[str, str] = vocabulary.get("names", {})
        self.forms: Mapping[str, Mapping[str, str]] = vocabulary.get("forms", {})

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, tuple | list):
            return ", ".join(self.format_field(entry, format_spec) for entry in value)
        key, forms = str(value), self.forms.get(format_spec, {})
        if key in self.own and (not format_spec or "own" in forms):
            return forms.get("own", "{name}").format(name=self.own[key])
        word = forms.get(key) or self.names.get(key, key)
        return f"{self.own[key]} ({word})" if key in self.own else word

    def tell(self, template: str, facts: Mapping[str, Any]) -> str:
        told = self.vformat(template, (), facts)
        return told[:1].upper() + told[1:]


class Teller:
    """Tells actions and rulings of one game in one language; `own` are the players' own names, by side."""

    def __init__(self, game: Game, language: str, own: Mapping[str, str] | None = None) -> None:
        self.game = game
        self.language = language
        self.own: Mapping[str, str] = own or {}
        self.words = words(game.package, language)
        self.common = words("companion", language)
        self.clauses = rulebook(game, language)
        self.sentence = Sentence(self.words, self.own)

    def name(self, word: str | None) -> str:
        return self.sentence.format_field(word, "") if word else ""

    def plain(self, word: str) -> str:
        """A word as the game has it, whatever a player is called."""
        return str(self.words["names"].get(word, word))

    def common_words(self, key: str, **facts: Any) -> str:
        return self.sentence.tell(self.common["account"][key], facts)

    def action(self, state: State, action: Action) -> str:
        key, facts = self.game.describe(state, action)
        return self.sentence.tell(self.words["actions"][key], facts)

    def acting(self, state: State, action: Action) -> str:
        """Who does it, as the words name them."""
        return self.name(self.game.describe(state, action)[1]["player"])

    def events(self, ruling: Allowed) -> list[str]:
        """What followed, in the order it happened, but a chain first and as one; the points are summed up last."""
        told = [sentence for event in ruling.events if (sentence := self._event(event))]
        return self._chain(ruling.events) + told + self._totals(ruling.events)

    def _event(self, event: Event) -> str:
        if isinstance(event, Scored):
            reasons = ", ".join(self.words.get("reasons", {}).get(c, self.clauses[c].title) for c in event.clauses)
            place = f"{event.at} · " if event.at else ""
            return (
                self.common_words("scored", name=self.name(event.player), points=f"{event.points:+d}") + place + reasons
            )
        if isinstance(event, Happened) and (template := self.words.get("events", {}).get(event.name)):
            return self.sentence.tell(template, event.facts)
        return ""

    def _totals(self, events: Sequence[Event]) -> list[str]:
        """Who scored how much in all, where that is not one sentence already."""
        totals: dict[str, int] = {}
        scored = [event for event in events if isinstance(event, Scored)]
        for event in scored:
            totals[event.player] = totals.get(event.player, 0) + event.points
        if len(scored) < 2:
            return []
        return [
            self.common_words("totals", totals=", ".join(f"{self.name(who)} {by:+d}" for who, by in totals.items()))
        ]

    def _chain(self, events: Sequence[Event]) -> list[str]:
        """How a chain went, and what stopped it; that it ends at empty spaces goes without saying."""
        steps = [event for event in events if isinstance(event, Step)]
        stops = {event.at: event.why for event in events if isinstance(event, Stop) and event.why != "empty"}
        told = []
        if len(steps) > 1:
            path = "; ".join(f"{step.origin} → {step.at}" if step.origin else step.at for step in steps)
            told.append(self.common_words("chain", path=path))
        if stops:
            ends = "; ".join(f"{at} ({self.words['stops'][why]})" for at, why in stops.items())
            told.append(self.common_words("stops", ends=ends))
        return told

    def refusal(self, ruling: Refused | Unsettled) -> str:
        """Why, in words: the clause's title and text; for the undecidable what it would need."""
        clause = self.clauses[ruling.clause]
        if isinstance(ruling, Refused):
            return self.common_words("refused", clause=clause.id, title=clause.title, text=clause.text)
        needs = "; ".join(self.missing(what) for what in ruling.missing)
        return self.common_words("unsettled", clause=clause.id, title=clause.title, needs=needs)

    def missing(self, what: str) -> str:
        """What the referee would need, in words: the whole key, or its part before the first dot."""
        table, (first, _, rest) = self.words.get("missing", {}), what.partition(".")
        template = table.get(what) or table.get(first) or what
        return self.sentence.vformat(template, (), {"what": rest or first})

    def lines(self, state: State, action: Action, ruling: Ruling) -> list[str]:
        """The action's sentence, then what came of it, a line each."""
        told = [self.action(state, action)]
        return told + (self.events(ruling) if isinstance(ruling, Allowed) else [self.refusal(ruling)])

    def ruling(self, state: State, action: Action, ruling: Ruling) -> str:
        """All of it as one text."""
        lines = self.lines(state, action, ruling)
        return " ".join(line if line[-1] in ".!?" else f"{line}." for line in lines)

    def score(self, score: Mapping[str, Any], over: bool) -> list[str]:
        """The score sheet: a line for each player or team, then who wins."""
        labels = self.words["score"]
        lines = [self.common_words("final" if over else "so-far")]
        for entry in score.get("players") or score["teams"]:
            name = self.name(entry.get("colour") or entry.get("team"))
            told = {key: value for key, value in entry.items() if key in labels}
            items = [self._item(labels, key, value) for key, value in told.items() if value or key in ALWAYS_TOLD]
            lines.append(f"  {name}: {', '.join(items)}")
        winners = ", ".join(self.name(winner) for winner in score["winners"])
        key = ("winner" if winners else "no-winner") if over else ("leader" if winners else "no-leader")
        return [*lines, self.common_words(key, names=winners)]

    def _item(self, labels: Mapping[str, str], key: str, value: Any) -> str:
        if value is None or isinstance(value, bool):
            value = self.common["account"]["unknown" if value is None else "yes" if value else "no"]
        return f"{labels[key]} {value}"

    def paths(self, paths: Sequence[Mapping[str, Any]]) -> list[str]:
        """The pairs of colonies that a path could join, where a game has such."""
        template = self.words["actions"].get("path-between", "")
        return [self.sentence.tell(template, {"ends": path["ends"], "cards": path["cards"]}) for path in paths]


def sides(score: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a score sheet by player or team."""
    return {entry.get("colour") or entry["team"]: entry for entry in score.get("players") or score["teams"]}


def standing(game: Game, state: State) -> dict[str, int]:
    """The points of each player on the track, without what the end of the game would bring."""
    totals = {side: entry.get("track", entry.get("total")) for side, entry in sides(game.score(state)).items()}
    return {side: total for side, total in totals.items() if total is not None}


def ruling_json(game: Game, action: Action, ruling: Ruling, text: str) -> dict[str, Any]:
    """A ruling as `companion judge --json` prints it."""
    written: dict[str, Any] = {"action": game.write_action(action)}
    if not isinstance(ruling, Allowed):
        written |= {"legal": False if isinstance(ruling, Refused) else None, "clauses": clauses_of(ruling)}
        if isinstance(ruling, Unsettled):
            written["missing"] = list(ruling.missing)
        return written | {"text": text}
    points = [e for e in ruling.events if isinstance(e, Scored)]
    steps = [e for e in ruling.events if isinstance(e, Step)]
    stops = [e for e in ruling.events if isinstance(e, Stop)]
    written |= {"legal": True, "clauses": clauses_of(ruling)}
    written["points"] = [
        {"player": e.player, "points": e.points, "at": e.at, "clauses": list(e.clauses)} for e in points
    ]
    if steps or stops:
        written["steps"] = [{"at": e.at, "from": e.origin, "clause": e.clause} for e in steps]
        written["stops"] = [{"at": e.at, "from": e.origin, "clause": e.clause} for e in stops]
    return written | {"text": text}
