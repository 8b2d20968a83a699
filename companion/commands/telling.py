"""What happens at a table as a line: for programs as JSON, for people in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from companion.account import Teller
from companion.document import Field
from companion.kit import Kit
from companion.referee import Asked, Explanation, Illegal, Misplaced, Proposed, Undone, Unexplained, Waiting
from companion.rules import Action, Allowed, Game, State, judge
from companion.table import Done, Shown
from companion.ui.view.wording import marker_text, piece_name, place_name
from companion.vision.watch import Sighting

Line = dict[str, Any]


def sight_line(frame: str, sight: str, sighting: Sighting) -> Line:
    return {"frame": frame, "sight": sight} | ({"advice": sighting.advice} if sight == "lost" else {})


def line_of(frame: str, game: Game, shown: Shown, done: Done | None = None, finding: Proposed | None = None) -> Line:
    """A step that was done, as what it was found to be; or what was found: the frame alone where that is nothing."""
    line: Line = {"frame": frame}
    if done is not None:
        if done.undone:
            line["undo"] = done.undone
        else:
            line |= _proposal(game, done.explanation) if done.explanation else _told(game, done.actions)
            line |= _besides(game, finding) if finding else {}
        return line | {"confirmed": True, "position": game.write_position(shown.session.state)}
    match shown.finding:
        case Proposed() as found:
            line |= _proposal(game, found.best) | _besides(game, found)
        case Illegal(best=best, put_back=put_back, alternatives=others):
            line |= _proposal(game, best) | {"alternatives": _actions_of(game, others)}
            line |= {"put_back": {space: list(pieces) for space, pieces in put_back.items()}}
        case Waiting(clause=clause, to_do=to_do):
            line |= {"unfinished": clause, "to_do": {space: list(pieces) for space, pieces in to_do.items()}}
        case Unexplained(differing=differing):
            line |= {"unexplained": list(differing), "seen": {at: list(seen) for at, (_, seen) in differing.items()}}
        case Undone(steps=steps, probability=probability, alternatives=others):
            line |= {"undo": steps, "confidence": _rounded(probability)}
            line |= {"alternatives": _actions_of(game, others)}
        case Asked(what=what, differing=differing, dice_left=left):
            line |= {"asked": what, "spaces": list(differing)} | ({"dice_left": list(left)} if left else {})
    if shown.finding is not None and len(line) == 1 and shown.finding.markers:
        line["markers"] = [
            {"piece": marker.piece, "at": marker.at, "belongs_at": marker.belongs_at}
            for marker in shown.finding.markers
        ]
    return line


def _proposal(game: Game, explanation: Explanation) -> Line:
    line: Line = {
        "proposal": [game.write_action(action) for action in explanation.actions],
        "legal": explanation.legal,
        "clauses": list(explanation.clauses),
        "confidence": _rounded(explanation.probability),
    }
    if explanation.replaces_last:
        line["replaces_last"] = True
    if amends := explanation.amends:
        line["amends"] = {"back": amends.back, "actions": [game.write_action(action) for action in amends.actions]}
    if explanation.assumed:
        line["assumed"] = list(explanation.assumed)
    return line


def _told(game: Game, actions: Iterable[Action]) -> Line:
    """What a player said: nothing is surer."""
    return {
        "proposal": [game.write_action(action) for action in actions],
        "legal": True,
        "clauses": [],
        "confidence": 1.0,
        "alternatives": [],
    }


def _besides(game: Game, found: Proposed) -> Line:
    line: Line = {"alternatives": _actions_of(game, (*found.alternatives, *found.ways)[:3])}
    if found.dice_left:
        line["dice_left"] = list(found.dice_left)
    return line


def _actions_of(game: Game, explanations: Iterable[Explanation]) -> list[list[dict[str, Any]]]:
    return [[game.write_action(action) for action in explanation.actions] for explanation in explanations]


def _rounded(probability: float) -> float:
    return round(probability, 4)


# In words


def told(line: Line, teller: Teller, met: State, kit: Kit) -> str:
    """A line for people; `met` is the position that its actions met."""
    words = teller.common["follow"]
    parts = [f"{line['frame']}:"] if line["frame"] else []
    if "sight" in line:
        parts.append(words[line["sight"]])
    if unseen := teller.common["not-seen"].get(line.get("error", "")):
        parts.append(unseen)
    elif "error" in line:
        parts += [f"{line['error']}.", line["advice"]]
    elif "advice" in line:
        parts.append(line["advice"])
    if "proposal" in line:
        key = "confirmed" if line.get("confirmed") else "proposal" if line["legal"] else "illegal"
        parts.append(words[key].format(actions=" · ".join(_in_words(line["proposal"], teller, met))))
        if not line["legal"]:
            clause = teller.clauses[line["clauses"][0]]
            parts.append(f"{clause.id} · {clause.title}: {clause.text}")
    if "put_back" in line:
        parts.append(words["put-back"].format(lies=_lies(teller, line["put_back"], kit)))
    if "amends" in line:
        parts.append(words["amended"].format(back=line["amends"]["back"]))
    if "undo" in line:
        parts.append(words["undone" if line.get("confirmed") else "undo"].format(count=line["undo"]))
    if "unfinished" in line:
        clause = teller.clauses[line["unfinished"]]
        parts.append(words["unfinished"].format(clause=f"{clause.id} · {clause.title}"))
        if line["to_do"]:
            parts.append(words["to-do"].format(lies=_lies(teller, line["to_do"], kit)))
    if "asked" in line:
        parts.append(words[line["asked"]].format(dice=", ".join(map(str, line.get("dice_left", ())))))
    if "unexplained" in line:
        spaces = ", ".join(place_name(teller, at, kit) for at in line["unexplained"])
        parts.append(words["unexplained"].format(spaces=spaces))
    for marker in line.get("markers", ()):
        parts.append(marker_text(teller, Misplaced(**marker), kit))
    return " ".join(parts)


def _lies(teller: Teller, table: Mapping[str, Iterable[str]], kit: Kit) -> str:
    """What is to lie on each space; a dash where nothing is."""

    def named(pieces: Iterable[str]) -> str:
        return " + ".join(piece_name(teller, piece) for piece in pieces) or "–"

    return "; ".join(f"{place_name(teller, at, kit)}: {named(pieces)}" for at, pieces in table.items())


def _in_words(written: Iterable[dict[str, Any]], teller: Teller, met: State) -> Iterator[str]:
    """Each action's sentence; the states between follow from those that are legal."""
    for one in written:
        action = teller.game.read_action(Field(one), met)
        yield teller.action(met, action)
        ruling = judge(teller.game, met, action)
        if not isinstance(ruling, Allowed):
            return
        met = ruling.state
