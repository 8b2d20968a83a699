"""All that could have happened to a table, with what speaks against each."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from companion.change import LIKELY_WRONG, OTHERWISE, Change, Suggestion, Table
from companion.observation import Observation
from companion.referee.findings import Amendment, Explanation, Misplaced
from companion.referee.sighting import Ground, marker_cost, misplaced
from companion.rules import Action, Allowed, Game, Refused, Ruling, State, judge

UNDONE = 1.0  # price of pieces put back as they were a step before; of each further step the same again
THROWN_SINCE = 5.0  # of each roll after what was put back: nobody can take back what is rolled
MOVED_ON = 2.0  # of a score marker that was moved on though pieces were put back
UNEXPLAINED, EACH_SPACE = 6.0, 2.5  # of anything else, and of each space that it changes
OVERLOOKED = 1.5  # of a purchase in an earlier turn that nobody saw
MOST_BACK = 40  # confirmed actions among which one is looked for
CONTRADICTED = 3.0  # of an explanation that a sure reading speaks against, besides what that reading costs
MOST_AGAINST = 1  # sure readings
THROW = 4  # dice


@dataclass(frozen=True)
class Earlier:
    """A step that was confirmed: the state that it met, and its actions."""

    state: State
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Candidate:
    """What may have happened: `nothing`, `legal`, `illegal`, `unfinished`, `undone` or `unexplained`."""

    kind: str
    cost: float
    explanation: Explanation | None = None
    suggestion: Suggestion | None = None
    shape: Hashable = None  # its actions without what they cost
    against: int = 0  # sure readings that contradict it
    steps: int = 0

    @property
    def sort(self) -> Hashable:
        """Alike for candidates that differ in nothing but what was spent on the same actions."""
        return self.kind, self.shape, self.suggestion and self.suggestion.broken


@dataclass(frozen=True)
class Scene:
    """All that is known while a table is looked at."""

    game: Game
    ground: Ground
    state: State
    observation: Observation
    change: Change
    earlier: Sequence[Earlier]
    amend: bool = False
    confirmed: State | None = None  # where this state is only supposed: the one before it

    def marker_cost(self, before: State, after: State) -> float:
        earlier = () if self.confirmed is None else (self.confirmed,)
        return marker_cost(self.game, self.ground, self.observation, (before, *earlier), after)

    @property
    def dice_unseen(self) -> bool:
        """Whether not all dice of a throw are told."""
        return len(self.change.dice) < THROW

    @property
    def markers(self) -> tuple[Misplaced, ...]:
        return self.markers_of(self.state)

    def markers_of(self, state: State) -> tuple[Misplaced, ...]:
        return tuple(misplaced(self.game, self.ground, self.observation, state))


def candidates(scene: Scene) -> Iterator[Candidate]:
    game, state, change = scene.game, scene.state, scene.change
    found: dict[object, Candidate] = {}
    for suggestion in sorted(game.suggest(state, change), key=lambda s: s.price + s.misfit):
        if not suggestion.actions and suggestion.broken is None:
            cost = suggestion.misfit + scene.marker_cost(state, state)
            found["nothing"] = Candidate("nothing", cost)
            continue
        candidate = _ruled(scene, state, suggestion)
        if candidate.against > MOST_AGAINST:
            continue
        after = candidate.explanation and candidate.explanation.state
        found.setdefault((after, suggestion.broken, candidate.kind), candidate)
    yield from found.values()
    if all(c.cost > LIKELY_WRONG for c in found.values() if c.kind in ("nothing", "legal")):
        yield from _grown(scene)
        if scene.amend:
            yield from _amended(scene)
    yield from _undone(scene)
    strange = _strange(change) + min(EACH_SPACE, scene.marker_cost(state, state))
    yield Candidate("unexplained", UNEXPLAINED + strange)


def _strange(change: Change) -> float:
    """What it costs that no explanation accounts for the places that differ, nor for those that nobody can tell and
    that look otherwise than they did: whatever else is said of them costs as much."""
    costs = [change.seen[place].doubt for place in change.differing(change.before)]
    costs += [OTHERWISE for place in change.unsure if place in change.otherwise]
    return sum(min(EACH_SPACE, cost) for cost in costs)


def _ruled(scene: Scene, start: State, suggestion: Suggestion) -> Candidate:
    """The suggestion with its rulings; the last is refused by the clause that it was suggested with."""
    game, state = scene.game, start
    rulings: list[Ruling] = []
    for action in suggestion.actions:
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed), "what is suggested as legal is"
        rulings.append(ruling)
        state = ruling.state
    cost = suggestion.price + suggestion.misfit + scene.marker_cost(start, state)
    unseen_dice = any(map(game.throws, suggestion.actions)) and scene.dice_unseen
    if suggestion.broken is None:
        against = len(surely_differing(scene.change, game.expected(state)))
        cost += CONTRADICTED * against
        explanation = Explanation(
            suggestion.actions, tuple(rulings), state, 0.0, guessed=suggestion.guessed, unseen_dice=unseen_dice
        )
        return Candidate("legal", cost, explanation, suggestion, game.shape(suggestion.actions), against)
    kind = "unfinished" if suggestion.unfinished else "illegal"
    attempt = () if suggestion.attempt is None else (suggestion.attempt,)
    actions = (*suggestion.actions, *attempt)
    explanation = Explanation(actions, (*rulings, Refused(suggestion.broken)), state, 0.0, unseen_dice=unseen_dice)
    return Candidate(kind, cost, explanation, suggestion, game.shape(actions))


def _grown(scene: Scene) -> Iterator[Candidate]:
    """The last confirmed action with a bonus that was taken since."""
    if not scene.earlier or not scene.earlier[0].actions or not scene.change.differing(scene.change.before):
        return
    game, last = scene.game, scene.earlier[0]
    met = _after(game, last.state, last.actions[:-1])
    if met is None:
        return
    for suggestion in game.grown(met, last.actions[-1], scene.change):
        candidate = _ruled(scene, met, suggestion)
        assert candidate.explanation is not None
        yield replace(candidate, explanation=replace(candidate.explanation, replaces_last=True))


def _amended(scene: Scene) -> Iterator[Candidate]:
    """What would be legal if something had been done in an earlier turn that nobody saw."""
    confirmed = _confirmed(scene)
    for back, (met, action) in enumerate(reversed(confirmed), 1):
        followed = [later for _, later in confirmed[len(confirmed) - back :]]
        for unseen in scene.game.overlooked(met, action, scene.change):
            state = _after(scene.game, met, (unseen, *followed))
            for suggestion in scene.game.suggest(state, scene.change) if state is not None else ():
                if suggestion.actions and suggestion.broken is None:
                    dearer = replace(suggestion, price=suggestion.price + OVERLOOKED)
                    candidate = _ruled(scene, state, dearer)
                    assert candidate.explanation is not None
                    amends = Amendment(back, (unseen, action))
                    yield replace(candidate, explanation=replace(candidate.explanation, amends=amends))


def _confirmed(scene: Scene) -> list[tuple[State, Action]]:
    """The last confirmed actions, each with the state that it met, the latest last."""
    found: list[tuple[State, Action]] = []
    for step in reversed(scene.earlier[:MOST_BACK]):
        state: State | None = step.state
        for action in step.actions:
            if state is not None:
                found.append((state, action))
                state = _after(scene.game, state, (action,))
    return found[-MOST_BACK:]


def _after(game: Game, state: State, actions: Sequence[Action]) -> State | None:
    """The state after actions, None where one of them is not legal."""
    for action in actions:
        ruling = judge(game, state, action)
        if not isinstance(ruling, Allowed):
            return None
        state = ruling.state
    return state


def _undone(scene: Scene) -> Iterator[Candidate]:
    thrown = 0  # in the steps after the one that was taken back
    for steps, step in enumerate(scene.earlier, 1):
        table = scene.game.expected(step.state)
        if table != scene.change.before:
            markers = scene.marker_cost(scene.state, step.state)
            scored = scene.game.scores(scene.state).items()
            moved_on = any(0 < 2 * scene.change.gained(piece, score) < scene.change.laps for piece, score in scored)
            cost = UNDONE * steps + THROWN_SINCE * thrown + scene.change.misfit(table) + markers + MOVED_ON * moved_on
            yield Candidate("undone", cost, steps=steps)
            return
        thrown += any(map(scene.game.throws, step.actions))


def surely_differing(change: Change, table: Table) -> list[str]:
    return [place for place in change.differing(table) if not change.doubtful(place)]
