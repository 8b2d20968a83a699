"""Between the kit's spaces and the game's places: what should lie where, what was seen there, how sure that is."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.change import MOST_DOUBT, OTHERWISE, Change, Pieces, Sight, Table
from companion.kit import TRACK, Kit, Space
from companion.observation import Observation, Reading
from companion.referee.findings import Misplaced
from companion.rules import Game, State

RIVALS = 20.0  # what else may well lie on a space: a wrong reading is as likely any of these
TOPS = 4.0  # what else may lie on a piece that was told
LEAST = 0.001  # what chance a thing has at least, however unlike it looks
WORTH_A_GUESS = 0.2  # the chance of what lies on a space that is unsure, from which it is weighed
BESIDE, ELSEWHERE = 1.0, 4.5  # costs of a score marker that has not been moved yet, or stands anywhere else


@dataclass(frozen=True)
class Ground:
    """The spaces of a kit by the game's names of them, and its score track."""

    spaces: Mapping[str, str]  # place: space
    track: tuple[str, ...]  # spaces from the lowest score to the highest

    @classmethod
    def of(cls, game: Game, kit: Kit) -> Ground:
        places = {game.place(space): space.id for space in kit.spaces}
        track = sorted(kit.of_kind(TRACK), key=_score)
        return cls({place: id for place, id in places.items() if place is not None}, tuple(s.id for s in track))

    def space_of_score(self, score: int) -> str:
        """Past the last space the marker goes on from the first."""
        return self.track[score % len(self.track)]


def _score(space: Space) -> int:
    score: int = space.tags["score"]
    return score


def expected_table(game: Game, state: State, kit: Kit) -> dict[str, Pieces]:
    """For every space of the kit whose pieces the position tells, those pieces as the eye would report them."""
    ground = Ground.of(game, kit)
    lying = game.expected(state)
    table = {space: lying.get(place, ()) for place, space in ground.spaces.items()}
    markers: dict[str, list[str]] = {space: [] for space in ground.track}
    if ground.track:
        for piece, score in game.scores(state).items():
            markers[ground.space_of_score(score)].append(piece)
    return table | {space: tuple(sorted(pieces)) for space, pieces in markers.items()}


def doubt(confidence: float) -> float:
    """How much likelier a reading is when right than when any one other thing lies there."""
    wrong = max(1.0 - confidence, 1e-6)
    return min(MOST_DOUBT, max(0.0, math.log(RIVALS * max(confidence, 1e-6) / wrong)))


def _sight(reading: Reading, before: Pieces, otherwise: bool) -> Sight:
    most = doubt(reading.confidence)
    others = {pieces: _cost(reading, chance) for pieces, chance in reading.others.items()}
    if otherwise and before:
        others[before] = others.get(before, most) + OTHERWISE
    return Sight(reading.pieces, most, others, _on_bases(reading, most))


def _on_bases(reading: Reading, most: float) -> dict[str, float]:
    """What it costs to say that on a piece that was thought of something lies that was not.

    Which piece lies below is told better than what lies on it: the colour of a disc in poor light.
    """
    named = {**reading.others, reading.pieces: reading.confidence}
    rest = max(1.0 - sum(named.values()), LEAST)
    shares: dict[str, float] = {}
    for pieces, chance in named.items() if reading.others else ():
        for base in pieces[:1]:
            shares[base] = shares.get(base, 0.0) + chance
    return {base: min(most, _cost(reading, rest * share / TOPS)) for base, share in shares.items()}


def _cost(reading: Reading, chance: float) -> float:
    """What it costs to say that something of this chance lies there, not what was told."""
    return min(MOST_DOUBT, max(0.0, math.log(max(reading.confidence, LEAST) / max(chance, LEAST))))


def change_seen(
    game: Game,
    ground: Ground,
    state: State,
    observation: Observation,
    lay: Sequence[int] | None,
    otherwise: Collection[str] = (),
) -> Change:
    """The table as it was seen against the one that the state tells; spaces of no place count for nothing.

    What is likely on a space that is unsure counts as well, for as little as it is worth.  On spaces that look
    `otherwise` than they did, what lay there is less likely to lie there still.
    """
    before = game.expected(state)
    guesses = {space: guess for space, guess in observation.guesses.items() if guess.confidence >= WORTH_A_GUESS}
    readings = {**guesses, **observation.spaces}
    seen = {
        place: _sight(readings[space], before.get(place, ()), space in otherwise)
        for place, space in ground.spaces.items()
        if space in readings
    }
    unsure = frozenset(place for place, space in ground.spaces.items() if space not in readings)
    guessed = frozenset(place for place, space in ground.spaces.items() if space in guesses)
    dice = tuple(sorted(die.value for die in observation.dice))
    seeming = tuple(die.value for die in observation.unsure_dice if die.value is not None)
    lay = None if lay is None else tuple(sorted(lay))
    markers = {
        piece: ground.track.index(at)
        for piece, score in game.scores(state).items()
        if (at := _stands_at(ground, observation, piece, (score,))) is not None
    }
    return Change(
        before,
        seen,
        unsure,
        dice,
        lay,
        seeming,
        guessed,
        frozenset(place for place, space in ground.spaces.items() if space in otherwise),
        markers,
        len(ground.track),
    )


def differing(ground: Ground, change: Change, table: Table) -> dict[str, tuple[Pieces, Pieces]]:
    """By space: what should lie there and what was seen."""
    return {
        ground.spaces[place]: (table.get(place, ()), seen)
        for place, seen in change.differing(table).items()
        if place in ground.spaces
    }


# Score markers


def _stands_at(ground: Ground, observation: Observation, piece: str, scores: Collection[int]) -> str | None:
    """Where a marker stands that stood at these scores.

    Seen twice it has left where it stood: what is still read there is another's, right beside it.
    """
    seen = [
        space for space in ground.track if space in observation.spaces and piece in observation.spaces[space].pieces
    ]
    if len(seen) > 1:
        stood = {ground.space_of_score(score) for score in scores}
        seen = [space for space in seen if space not in stood]
    return seen[0] if len(seen) == 1 else None


def marker_cost(game: Game, ground: Ground, observation: Observation, before: Sequence[State], after: State) -> float:
    """How badly the markers stand for these scores; one that was not moved yet, since one of the states before, is no
    wonder."""
    if not ground.track:
        return 0.0
    cost, was = 0.0, [game.scores(state) for state in before]
    for piece, score in game.scores(after).items():
        at = _stands_at(ground, observation, piece, [scores[piece] for scores in was])
        if at is not None and at != ground.space_of_score(score):
            cost += BESIDE if any(at == ground.space_of_score(scores[piece]) for scores in was) else ELSEWHERE
    return cost


def misplaced(game: Game, ground: Ground, observation: Observation, state: State) -> Iterator[Misplaced]:
    """The markers that surely do not stand where the scores say; what is unsure is not pointed out."""
    if not ground.track:
        return
    for piece, score in game.scores(state).items():
        belongs = ground.space_of_score(score)
        there = observation.spaces.get(belongs)
        if there is not None and piece not in there.pieces:
            yield Misplaced(piece, _stands_at(ground, observation, piece, (score,)), belongs)
