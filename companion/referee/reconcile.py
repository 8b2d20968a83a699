"""Weighs all that could have happened: how it fits what was seen, and how likely it was before anything was seen."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace

from companion.change import Pieces, Sight
from companion.kit import Kit
from companion.observation import Observation
from companion.referee.candidates import Candidate, Earlier, Scene, candidates, surely_differing
from companion.referee.findings import (
    Asked,
    Explanation,
    Finding,
    Illegal,
    Proposed,
    Unchanged,
    Undone,
    Unexplained,
    Waiting,
)
from companion.referee.sighting import Ground, change_seen, differing
from companion.referee.supposed import Supposed, led_on
from companion.rules import Action, Allowed, Game, State, judge, legal_actions

ALONE = 0.95  # probability from which a proposal stands clearly alone
FAIRLY_SURE = 4.0  # what it must cost to say that a guess is wrong, or that nothing changed there, for it to count,
ABOVE_ALL = 3.0  # and to say that any one other thing lies there, or that it does not where it did not count
MOST_UNSEEN, BEYOND_DOUBT = 1, 0.99  # places of an action that cannot be told, and how likely it must be then
MOST_UNCONFIRMED = 1  # whole turns before one in which somebody is accused: what they were is not certain
MENTIONED = 0.02  # the probability from which another is worth a tap
MOST_ALTERNATIVES = 3
MOST_WAYS = 6
REMOTE, MOST_POSSIBLE = 0.002, 8  # what may still turn out to be so, and how much of that is borne in mind


@dataclass(frozen=True)
class Weighed:
    """Candidates of one sort, the likeliest first, and the probability that it is one of them."""

    candidates: tuple[Candidate, ...]
    probability: float

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def explanation(self) -> Explanation:
        assert self.best.explanation is not None
        return self.best.explanation


def reconcile(
    game: Game,
    kit: Kit,
    state: State,
    observation: Observation,
    earlier: Sequence[Earlier] = (),
    lay: tuple[int, ...] | None = None,
    amend: bool = False,
    otherwise: Collection[str] = (),
    supposed: Sequence[Supposed] = (),
) -> Finding:
    """What turned the table of `state` into the one seen.

    `earlier` holds the steps confirmed before, the latest first: they may have been taken back, and the last may have
    got its bonus since.  With `amend` one of them may be proposed anew, where a purchase was overlooked.  `lay` are
    the dice that lay there when the last of them was confirmed, where that is known.  Spaces look `otherwise` where
    something else seems to be than at that time.  What is `supposed` has led to the table before, if anybody knows.
    """
    ground = Ground.of(game, kit)
    change = change_seen(game, ground, state, observation, lay, otherwise)
    scene = Scene(game, ground, state, observation, change, earlier, amend)
    found = list(candidates(scene))
    if supposed:
        found = led_on(scene, found, supposed)
    return _finding(scene, _weighed(sorted(found, key=lambda candidate: candidate.cost)))


def _weighed(found: list[Candidate]) -> list[Weighed]:
    """By their sort, the likeliest sort first."""
    weights = [math.exp(found[0].cost - candidate.cost) for candidate in found]
    sorts: dict[Hashable, list[Candidate]] = {}
    shares: dict[Hashable, float] = {}
    for candidate, weight in zip(found, weights, strict=True):
        share = weight / sum(weights)
        explanation = candidate.explanation and replace(candidate.explanation, probability=share)
        sorts.setdefault(candidate.sort, []).append(replace(candidate, explanation=explanation))
        shares[candidate.sort] = shares.get(candidate.sort, 0.0) + share
    return sorted((Weighed(tuple(c), shares[sort]) for sort, c in sorts.items()), key=lambda one: -one.probability)


def _finding(scene: Scene, sorts: list[Weighed]) -> Finding:
    if sorts[0].best.kind == "illegal" and not _owes(scene, sorts[0]) and (innocent := _innocent(sorts)):
        sorts = [innocent, *(one for one in sorts if one is not innocent)]
    best, share = sorts[0].best, sorts[0].probability
    if best.kind in ("nothing", "unexplained") and _dice_are_missing(scene):
        return Asked("dice", _differing(scene), markers=scene.markers)
    match best.kind:
        case "nothing":
            return Unchanged(share, scene.markers, _possible(sorts))
        case "undone":
            return Undone(best.steps, share, _others(sorts, ("legal",)), scene.markers)
        case "legal":
            return _proposed(scene, sorts)
        case "illegal" if _owes(scene, sorts[0]):
            return _owed(scene, sorts)
        case "illegal" if may_accuse(scene.game, sorts[0].explanation):
            return _illegal(scene, sorts)
        case "unfinished":
            return _waiting(scene, best)
    return Unexplained(_differing(scene), share, scene.markers)


def _owes(scene: Scene, one: Weighed) -> bool:
    return scene.game.owes(one.explanation.actions)


def may_accuse(game: Game, explanation: Explanation) -> bool:
    """Whether so little went by unconfirmed, and none of it with dice that nobody saw, that a last action which breaks
    a clause may be called that."""
    return (
        not explanation.unseen_dice
        and sum(map(game.ends_turn, explanation.actions[explanation.settled : -1])) <= MOST_UNCONFIRMED
    )


def _innocent(sorts: list[Weighed]) -> Weighed | None:
    """Legal actions that nothing sure speaks against: as long as they are possible nobody is accused."""
    legal = (one for one in sorts if one.best.kind == "legal" and not one.best.against)
    return next((one for one in legal if one.probability >= MENTIONED), None)


def _differing(scene: Scene) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return differing(scene.ground, scene.change, scene.change.before)


def _dice_are_missing(scene: Scene) -> bool:
    """Whether a change cannot be judged before somebody says what was rolled."""
    needed = scene.game.needs_dice(scene.state)
    return needed and scene.dice_unseen and bool(surely_differing(scene.change, scene.change.before))


def _others(sorts: list[Weighed], kinds: tuple[str, ...]) -> tuple[Explanation, ...]:
    """What else it may have been, the best of each sort."""
    found = (one for one in sorts[1:] if one.best.kind in kinds and one.probability >= MENTIONED)
    return tuple(one.explanation for one in found)[:MOST_ALTERNATIVES]


def _proposed(scene: Scene, sorts: list[Weighed]) -> Proposed:
    best = sorts[0].explanation
    if best.probability < ALONE and _come_to_the_same(scene.game, sorts[0]):
        best = replace(best, probability=sorts[0].probability)
    unknown = _unknown(scene, best)
    best = replace(best, assumed=tuple(dict.fromkeys((*best.assumed, *(what for what, _ in unknown.values())))))
    ways = tuple(c.explanation for c in sorts[0].candidates if c.explanation and c.explanation.probability >= MENTIONED)
    return Proposed(
        best,
        _others(sorts, ("legal",)),
        best.probability >= ALONE
        and not (best.guessed or best.amends)
        and not _hangs_on_dice(sorts)
        and _all_seen(scene, best)
        and _markers_agree(scene, best),
        ways[1:MOST_WAYS],
        unknown,
        scene.game.dice_left(best.state),
        tuple(scene.game.offers(best.state)),
        scene.markers_of(best.state),
        _possible(sorts),
    )


def _hangs_on_dice(sorts: list[Weighed]) -> bool:
    """Whether the same actions break a clause with other dice that may have been spent before: who errs is not told by
    that from who spent those.  If it stands until the next table it is so."""
    best = sorts[0].best
    return any(
        one.best.kind == "illegal" and one.best.shape == best.shape and one.probability >= REMOTE for one in sorts
    )


def _possible(sorts: list[Weighed]) -> tuple[Explanation, ...]:
    """What may lead on to the next table."""
    legal = (c.explanation for one in sorts for c in one.candidates if c.kind == "legal" and c.explanation)
    kept = [way for way in legal if way.probability >= REMOTE and not (way.replaces_last or way.amends)]
    return tuple(sorted(kept, key=lambda way: -way.probability))[:MOST_POSSIBLE]


def _come_to_the_same(game: Game, one: Weighed) -> bool:
    """Whether it makes no difference which dice were spent: one is left, and whatever it is allows and scores the same.

    With more dice left what is done with one of them may tell apart what may be done with the others.
    """
    ways = [c.explanation for c in one.candidates if c.explanation and c.explanation.probability >= MENTIONED]
    if any(len(game.dice_left(way.state)) != 1 for way in ways):
        return False
    left = [{game.shape((action,)) for action in legal_actions(game, way.state)} for way in ways]
    return all(game.scores(way.state) == game.scores(ways[0].state) for way in ways) and all(x == left[0] for x in left)


def _unknown(scene: Scene, explanation: Explanation) -> dict[int, tuple[str, tuple[Action, ...]]]:
    """For each action of which nobody could see all: what, and what it might have been."""
    if explanation.replaces_last or explanation.amends:
        return {}
    found, met = {}, scene.state
    for number, (action, ruling) in enumerate(zip(explanation.actions, explanation.rulings, strict=True)):
        if unknown := scene.game.unknown(met, action):
            found[number] = unknown
        if isinstance(ruling, Allowed):
            met = ruling.state
    return found


def _all_seen(scene: Scene, explanation: Explanation) -> bool:
    """Every place that the actions have changed was seen, no claim is doubted, and none speaks against them.

    Of a place that cannot be told it must show that something else is there, and all the rest must leave no doubt.
    """
    change, after = scene.change, scene.game.expected(explanation.state)
    if change.doubted - change.guessed or surely_differing(change, after):
        return False
    for place in change.guessed:
        sight, there, before = change.seen[place], after.get(place, ()), change.before.get(place, ())
        if sight.against(there) >= ABOVE_ALL:
            return False
        if there != before and (sight.pieces != there or not _fairly_sure(sight, before)):
            return False
    if scene.game.needs_dice(scene.state) and len(change.dice) + len(change.seeming) < 4:  # one of them was guessed
        return False
    unseen = {place for place in change.unsure if after.get(place, ()) != change.before.get(place, ())}
    return not unseen or (
        len(unseen) <= MOST_UNSEEN and unseen <= change.otherwise and explanation.probability >= BEYOND_DOUBT
    )


def _fairly_sure(sight: Sight, before: Pieces) -> bool:
    """Whether a guess may count as seen."""
    rivals = (cost for pieces, cost in sight.others.items() if pieces != before)
    return min(sight.doubt, sight.against(before)) >= FAIRLY_SURE and all(cost >= ABOVE_ALL for cost in rivals)


def _markers_agree(scene: Scene, explanation: Explanation) -> bool:
    """No score marker was moved on to where these actions do not bring it; one that lags behind is no wonder."""
    was, change = scene.game.scores(scene.state), scene.change
    wrong = [marker.piece for marker in scene.markers_of(explanation.state)]
    return not any(0 < 2 * change.gained(piece, was[piece]) < change.laps for piece in wrong)


def _owed(scene: Scene, sorts: list[Weighed]) -> Asked:
    """What was done besides without a trace, so that the turn could end."""
    best = sorts[0].explanation
    dice, offers = scene.game.dice_left(best.state), tuple(scene.game.offers(best.state))
    before = replace(best, actions=best.actions[:-1], rulings=best.rulings[:-1])
    return Asked("dice-left", {}, before, dice, offers, scene.markers_of(best.state), _spent_otherwise(scene, sorts))


def _spent_otherwise(scene: Scene, sorts: list[Weighed]) -> tuple[Explanation, ...]:
    """Ways on which no dice are left, however unlikely, as guesses; as likely as they are among themselves."""
    legal = [c.explanation for one in sorts for c in one.candidates if c.kind == "legal" and c.explanation]
    ways = [
        way for way in legal if not (way.replaces_last or way.amends) and any(map(scene.game.ends_turn, way.actions))
    ]
    ways = sorted(ways, key=lambda way: -way.probability)[:MOST_POSSIBLE]
    whole = sum(way.probability for way in ways)
    return tuple(replace(way, probability=way.probability / whole, guessed=True) for way in ways if whole)


def _illegal(scene: Scene, sorts: list[Weighed]) -> Illegal:
    best = sorts[0].explanation
    seen = differing(scene.ground, scene.change, scene.game.expected(best.state))
    put_back = {space: pieces for space, (pieces, _) in seen.items()}
    return Illegal(best, put_back, _others(sorts, ("legal", "illegal")), scene.markers_of(best.state))


def _waiting(scene: Scene, best: Candidate) -> Waiting:
    explanation, suggestion = best.explanation, best.suggestion
    assert explanation is not None and suggestion is not None and suggestion.broken is not None
    ruling = judge(scene.game, explanation.state, suggestion.attempt) if suggestion.attempt is not None else None
    to_do: dict[str, tuple[str, ...]] = {}
    if isinstance(ruling, Allowed):
        left = differing(scene.ground, scene.change, scene.game.expected(ruling.state))
        to_do = {space: pieces for space, (pieces, _) in left.items()}
    return Waiting(explanation, suggestion.broken, to_do, scene.markers)
