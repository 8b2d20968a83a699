"""Several reads of a still table taken together: what they agree on is told, what they do not is in doubt."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from companion.observation import Die, Observation, Reading, UnsureDie

AGREE = 2  # reads that must claim the same
ALONE = 0.9  # how likely a claim is that one read alone makes
BESIDE_IT = 4.5  # times as far: how far from a die's top its side may be seen at most
ONE_DIE = 3.0  # times as far: how far apart two faces of one die may be seen
SAME_PLACE = 0.012  # of the boards' width: how far apart one die may be seen twice


def gathered(
    before: Observation | None,
    reads: Sequence[Observation],
    changed: Collection[str],
    relit: Collection[str] = (),
    dice: Sequence[Die] = (),
    most_dice: int | None = None,
) -> Observation:
    """The table after some reads, of which only `changed` spaces look otherwise than `before`, and `relit` ones but
    for the light on them.

    `dice` are those known to lie there still, of `most_dice` that there are.  What the latest read remembers goes on.
    """
    last = reads[-1]
    spaces: dict[str, Reading] = {}
    unsure: dict[str, str] = {}
    guesses: dict[str, Reading] = {}
    for space in (*last.spaces, *last.unsure):
        if before is not None and space not in changed and space not in relit:
            what, guess = _kept(space, before, last)
        else:
            what, guess = _agreed(space, reads, min(AGREE, len(reads)))
        if before is not None and space in relit and space in before.spaces:
            what, guess = _in_other_light(before.spaces[space], what)
        if isinstance(what, Reading):
            spaces[space] = what
        else:
            unsure[space] = what
            if guess is not None:
                guesses[space] = guess
    told, untold = _dice(reads, dice)
    if most_dice is not None:
        told, untold = _no_more_than(most_dice, told, untold, BESIDE_IT * one_die_px(last))
    return replace(last, spaces=spaces, unsure=unsure, guesses=guesses, dice=told, unsure_dice=untold)


def nothing_new(now: Observation, before: Observation, under: Collection[str]) -> Observation:
    """The same, but of the spaces `under` things nothing is told that was not known before: they may hide it."""
    known = {space for space in under if space in now.spaces and space in before.spaces}
    hidden = {space for space in under if space not in known or now.spaces[space].pieces != before.spaces[space].pieces}
    return replace(
        now,
        spaces={space: reading for space, reading in now.spaces.items() if space not in hidden},
        unsure={**now.unsure, **dict.fromkeys(sorted(hidden), "hidden")},
        guesses={space: guess for space, guess in now.guesses.items() if space not in hidden},
    )


def _kept(space: str, before: Observation, now: Observation) -> tuple[Reading | str, Reading | None]:
    """Of a space that looks as before: what is known of it."""
    if space in now.spaces:
        return now.spaces[space], None
    if space in before.spaces:
        return before.spaces[space], None
    return now.unsure[space], now.guesses.get(space)


def _in_other_light(known: Reading, now: Reading | str) -> tuple[Reading | str, Reading | None]:
    """Of a space that looks as before but for the light on it: what it held, unless the reads agree on something else.

    Two pieces of like patterns may look like one in two lights, and a reflection may be read as another piece.
    """
    if isinstance(now, str) or now.pieces == known.pieces:
        return known, None
    return "doubt", Reading(now.pieces, ALONE, {known.pieces: 1 - ALONE})


def _agreed(space: str, reads: Sequence[Observation], enough: int) -> tuple[Reading | str, Reading | None]:
    """What the reads that claim something of a space agree on; else why it is unsure, and what is likeliest."""
    claims = [read.spaces[space] for read in reads if space in read.spaces]
    likely = claims or [read.guesses[space] for read in reads if space in read.guesses]
    if len({claim.pieces for claim in claims}) == 1:
        pieces, mean = claims[0].pieces, sum(claim.confidence for claim in claims) / len(claims)
        if len(claims) >= enough:
            return Reading(pieces, mean), None
        guesses = [read.guesses[space] for read in reads if space in read.guesses]
        if any(guess.pieces == pieces for guess in guesses):
            return Reading(pieces, min(mean, 0.97)), None
        return "doubt", Reading(pieces, ALONE)
    reason = next((read.unsure[space] for read in reversed(reads) if space in read.unsure), "doubt")
    if not likely or claims:
        return reason, None  # reads that claim different things are worth nothing
    chances: dict[tuple[str, ...], float] = {}
    for guess in likely:
        for pieces, chance in {**guess.others, guess.pieces: guess.confidence}.items():
            chances[pieces] = chances.get(pieces, 0.0) + chance / len(reads)
    best = max(chances, key=lambda pieces: chances[pieces])
    return reason, Reading(best, chances.pop(best), chances)


def _dice(reads: Sequence[Observation], known: Sequence[Die]) -> tuple[tuple[Die, ...], tuple[UnsureDie, ...]]:
    """Each die by its place: as it is known, or its value as the reads have it that tell it, if they agree."""
    reach = one_die_px(reads[-1])
    told, unsure = list(known), list[UnsureDie]()
    for at in _places(reads, reach):
        if any(math.dist(die.at_px, at) < reach for die in known):
            continue
        sights = list(_sights(reads, at, reach))
        seen = [sight for sight in sights if isinstance(sight, Die)]
        others = _in_its_way(reads, at, reach)
        if len({die.value for die in seen}) == 1 and not others:
            told.append(max(seen, key=lambda die: die.confidence))
        elif not any(math.dist(die.at_px, other.at_px) < reach for die in unsure for other in others):
            values = {sight.value for sight in (*sights, *others)}
            reasons = [sight.reason for sight in (*sights, *others) if isinstance(sight, UnsureDie)]
            unsure.append(UnsureDie(at, (reasons or ["unclear"])[-1], values.pop() if len(values) == 1 else None))
    return tuple(told), tuple(unsure)


def _no_more_than(
    most: int, told: tuple[Die, ...], unsure: tuple[UnsureDie, ...], near: float
) -> tuple[tuple[Die, ...], tuple[UnsureDie, ...]]:
    """The dice, where more are told than there are: of the two that lie nearest to each other one is the other's side.

    Which of them nobody knows; where none lie so `near`, all are left as they are.
    """
    while len(told) > most:
        one, other = min(combinations(told, 2), key=lambda pair: math.dist(pair[0].at_px, pair[1].at_px))
        if math.dist(one.at_px, other.at_px) > near:
            break
        likelier = max(one, other, key=lambda die: die.confidence)
        told = tuple(die for die in told if die not in (one, other))
        unsure = (*unsure, UnsureDie(likelier.at_px, "unclear", likelier.value))
        most -= 1
    return told, unsure


def _sights(reads: Sequence[Observation], at: tuple[float, float], reach: float) -> Iterator[Die | UnsureDie]:
    for read in reads:
        yield from (die for die in read.dice if math.dist(die.at_px, at) < reach)
        yield from (die for die in read.unsure_dice if math.dist(die.at_px, at) < reach)


def _in_its_way(reads: Sequence[Observation], at: tuple[float, float], reach: float) -> list[Die | UnsureDie]:
    """What is seen beside a die and never together with it: its top or a side, for one of them is none."""
    together = [read for read in reads if any(_sights([read], at, reach))]
    beside = [sight for sight in _sights(reads, at, ONE_DIE * reach) if math.dist(sight.at_px, at) >= reach]
    return [sight for sight in beside if not any(any(_sights([read], sight.at_px, reach)) for read in together)]


def _places(reads: Sequence[Observation], reach: float) -> Iterator[tuple[float, float]]:
    """Where dice lie by enough reads."""
    found: list[list[tuple[float, float]]] = []
    for read in reads:
        for at in [die.at_px for die in read.dice] + [die.at_px for die in read.unsure_dice]:
            place = next((place for place in found if math.dist(place[0], at) < reach), None)
            if place is None:
                found.append([at])
            else:
                place.append(at)
    yield from (place[0] for place in found if len(place) >= min(AGREE, len(reads)))


def one_die_px(seen: Observation) -> float:
    """Within how many pixels two sights of a die are of the same one."""
    corners = max((sight.corners_px for sight in seen.boards.values()), key=lambda c: math.dist(c[0], c[1]))
    return SAME_PLACE * math.dist(corners[0], corners[1])
