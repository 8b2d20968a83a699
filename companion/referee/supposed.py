"""What may have gone before: of a table that nobody confirmed, each explanation leads on to the next table.

What was seen on the way is evidence, too, and what is done later tells which of several dice was spent before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

from companion.observation import Observation
from companion.referee.candidates import Candidate, Earlier, Scene, candidates
from companion.referee.findings import Explanation
from companion.referee.sighting import change_seen
from companion.rules import Action, Game

MISREAD = 4.0  # what it costs to say that the table before was none of what it was explained by,
PUT_BACK = 1.0  # and to say that all was taken back that was done there
PRICES = {"nothing": PUT_BACK, "undone": PUT_BACK, "unexplained": 0.0}
DICE = "dice"  # among what is assumed
SURELY = 0.95  # how likely the same actions must be among all that come to the same


@dataclass(frozen=True)
class Supposed:
    """What may have led to the table before; and the table now, weighed in the light of that.

    With `earlier` it led to the one before that already, and what was done since may have been taken back.
    """

    explanation: Explanation
    observation: Observation
    lay: tuple[int, ...] | None = None
    otherwise: frozenset[str] = frozenset()
    earlier: bool = False


def led_on(scene: Scene, found: Iterable[Candidate], supposed: Iterable[Supposed]) -> list[Candidate]:
    """What may have happened since the confirmed state of a scene: at once, or after what is supposed."""
    alike: dict[Hashable, list[Candidate]] = {}
    for candidate in [
        *(replace(each, cost=each.cost + PRICES.get(each.kind, MISREAD)) for each in found),
        *(candidate for one in supposed for candidate in _after(scene, one)),
    ]:
        alike.setdefault(_key(candidate), []).append(candidate)
    return [_one_of(scene.game, candidates) for candidates in alike.values()]


def _after(scene: Scene, one: Supposed) -> Iterator[Candidate]:
    before, observation = one.explanation, one.observation
    change = change_seen(scene.game, scene.ground, before.state, observation, one.lay, one.otherwise)
    earlier = (Earlier(scene.state, before.actions), *scene.earlier)
    supposed = Scene(scene.game, scene.ground, before.state, observation, change, earlier, confirmed=scene.state)
    for candidate in candidates(supposed):
        cost = candidate.cost - math.log(max(before.probability, 1e-6))
        cost += PRICES.get(candidate.kind, MISREAD) if one.earlier else 0.0
        if candidate.kind == "nothing":
            yield Candidate("legal", cost, before, shape=scene.game.shape(before.actions))
        elif candidate.explanation is not None:
            explanation = _joined(before, candidate.explanation)
            shape = scene.game.shape(explanation.actions)
            yield replace(candidate, cost=cost, explanation=explanation, shape=shape)
        elif candidate.kind == "unexplained":
            yield replace(candidate, cost=cost)


def _joined(before: Explanation, after: Explanation) -> Explanation:
    """One after the other; an action that was done anew with its bonus takes its own place."""
    kept = len(before.actions) - after.replaces_last
    return replace(
        after,
        actions=(*before.actions[:kept], *after.actions),
        rulings=(*before.rulings[:kept], *after.rulings),
        replaces_last=False,
        guessed=before.guessed or after.guessed,
        unseen_dice=before.unseen_dice or after.unseen_dice,
        assumed=tuple(dict.fromkeys((*before.assumed, *after.assumed))),
        settled=before.settled,
    )


def _key(candidate: Candidate) -> Hashable:
    """Alike for what comes to the same."""
    after = candidate.explanation and candidate.explanation.state
    return candidate.kind, after, candidate.suggestion and candidate.suggestion.broken, candidate.steps


def _one_of(game: Game, alike: list[Candidate]) -> Candidate:
    """The likeliest, as likely as all of them together.

    It is guessed where other actions may well have come to the same, and its dice are assumed where it was other dice.
    """
    best = min(alike, key=lambda candidate: candidate.cost)
    weights = [math.exp(best.cost - each.cost) for each in alike]
    cost = best.cost - math.log(sum(weights))
    if best.explanation is None:
        return replace(best, cost=cost)
    done = [_done(game, each.explanation) for each in alike if each.explanation]
    actions, dice = done[alike.index(best)]
    same = sum(weight for weight, one in zip(weights, done, strict=True) if one[0] == actions)
    rolled = sum(weight for weight, one in zip(weights, done, strict=True) if one == (actions, dice))
    explanation = best.explanation
    if same < SURELY * sum(weights):
        explanation = replace(explanation, guessed=True)
    elif rolled < SURELY * sum(weights) and DICE not in explanation.assumed:
        explanation = replace(explanation, assumed=(*explanation.assumed, DICE))
    return replace(best, cost=cost, explanation=explanation)


def _done(game: Game, explanation: Explanation) -> tuple[Counter[Hashable], list[Action]]:
    """What was done, in whatever order and with whatever dice; and what was rolled."""
    rolled = [action for action in explanation.actions if game.throws(action)]
    return Counter(game.shape(tuple(a for a in explanation.actions if not game.throws(a)))), rolled
