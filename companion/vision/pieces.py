"""Reading the spaces: what lies on each, from a photograph, where the boards lie in it, and the kit's pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.kit import Kit, Space
from companion.observation import Reading
from companion.vision.chances import ALWAYS, DOUBTFUL, beside, chances, log_odds
from companion.vision.claims import BUSY, Claim, Explanation, Study, study
from companion.vision.guess import Cover
from companion.vision.knowledge import PieceKnowledge, learn_pieces
from companion.vision.light import Light
from companion.vision.likeness import compared
from companion.vision.rectify import Photo, halve
from companion.vision.sight import REACH, look, noise_of
from companion.vision.spots import overlooked
from companion.vision.view import View

__all__ = ["PieceKnowledge", "learn_pieces", "read_spaces"]

Array = np.ndarray[Any, Any]

NO_CLAIM = -1.5  # of gain, where nothing comes into question
LEAST_GAIN = -0.3  # of a claim that keeps a space from being read as bare
PLAIN = 0.62  # the worst block of a bare space
MORE_THERE = 0.75  # the worst block beside a piece on a space where several may lie
CLEARLY_PLAIN = 0.5  # of a space that is bare whatever else might explain it
MIDDLE = 0.2  # of a space: how far off its middle blocks lie of which no piece on it leaves all clear
MIDDLE_PLAIN = 0.5  # of the least sign of a piece: the worst of them where nothing lies on it
GLARE = 0.25  # of a space that is blown out, from which that is why it is unsure
MIDDLE_GREY, DARK = 128.0, 14.0  # a space on which grey is darker than this is too dark
BETWEEN = 0.2  # of a space: how far off its middle that between two pieces on it may be
CLEAR = 0.998  # the chance of a claim by its figures over which nothing need be compared
SURE = 0.97  # the chance at which a reading is claimed
MOST_GUESSED, MOST_GUESSED_BARE = 0.9, 0.8  # the chance of what is not claimed: more would be a claim
LIKELY = 0.9  # the chance at which a piece counts as what is seen of it beside its own space

# How much what is seen tells for a space's being bare (`_for_bare`), in log-odds: a logistic regression, none of whose
# weights may be negative, so that no clearer sight lowers a chance; fitted to rendered photographs of nine kits
# (tests/vision/photographs.py, seed 9100): 13867 spaces that nothing likely lies on, 778 of them not bare.
FOR_BARE = {"always": 8.89, "worst": 7.16, "sharp": 4.17, "clear": 12.45, "gain": 6.2}


def read_spaces(
    pixels: Array,
    view: View,
    known: PieceKnowledge,
    kit: Kit,
    only: Collection[str] | None = None,
    lights: dict[str, Light] | None = None,
    guesses: dict[str, Reading] | None = None,
) -> tuple[dict[str, Reading], dict[str, str]]:
    """What lies on every space of the kit (or on those named by `only`), once each: as read, or why it is unsure.

    `pixels` is (height, width, 3) uint8 BGR.  `lights`, by board, are taken as they are; those that had to be taken
    from the picture are added.  What is likeliest on those that are unsure is added to `guesses`.
    """
    readings: dict[str, Reading] = {}
    unsure = {space.id: "board-not-found" for space in _wanted(kit, only) if space.board not in view.poses}
    for found in studies(pixels, view, known, kit, only, lights):
        for id, told in _told(found, known, guesses).items():
            if isinstance(told, Reading):
                readings[id] = told
            else:
                unsure[id] = told
    return readings, unsure


def studies(
    pixels: Array,
    view: View,
    known: PieceKnowledge,
    kit: Kit,
    only: Collection[str] | None = None,
    lights: dict[str, Light] | None = None,
) -> Iterator[Study]:
    """What is seen of the spaces of each board in view, the largest first; all as for `read_spaces`."""
    wanted = _wanted(kit, only)
    photo = Photo((pixels, halve(pixels, None if only is None else _box(view, wanted, kit))))
    noise = noise_of(pixels)
    lights = {} if lights is None else lights
    largest: Light | None = None
    for board in sorted(kit.boards, key=lambda board: -board.size_mm[0] * board.size_mm[1]):
        spaces = [space for space in wanted if space.board == board.id]
        largest = largest or lights.get(board.id)
        if spaces and board.id in view.poses:
            sight = look(photo, view, board, spaces, known.boards[board.id], noise, largest, lights.get(board.id))
            lights[board.id] = sight.light
            largest = largest or sight.light
            yield study(sight, known)


def _wanted(kit: Kit, only: Collection[str] | None) -> list[Space]:
    return [space for space in kit.spaces if only is None or space.id in only]


def _box(view: View, spaces: Sequence[Space], kit: Kit) -> tuple[int, int, int, int]:
    """Left, top, right and bottom px between which all lies that is looked at for these spaces."""
    high = max((piece.height_mm for piece in kit.pieces), default=0.0)
    ways = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    points = [
        view.pixels(space.board, space.at_mm + REACH * max(space.size_mm) * ways, height)
        for space in spaces
        if space.board in view.poses
        for height in (0.0, high)
    ]
    if not points:
        return 0, 0, 0, 0
    (left, top), (right, bottom) = np.min(points, (0, 1)), np.max(points, (0, 1))
    return int(left), int(top), int(right) + 1, int(bottom) + 1


def _for_bare(worst: Array, sharp: Array, clear: Array, sign: Array, gain: Array) -> dict[str, Array]:
    """What tells for spaces' being bare, (n,) each: the worst block, the share that is clear, what the claims gain."""
    return {
        "worst": -np.minimum(worst / np.minimum(sign, 1.0), 1.2),
        "sharp": -np.minimum(sharp + 0.2, worst),
        "clear": clear - 1,
        "gain": -np.clip(gain, -1.2, 0.2),
    }


def _chances(told: Mapping[str, Array], weights: Mapping[str, float]) -> Array:
    """The chances that readings are right for which so much tells: see FOR_BARE."""
    odds = weights["always"] + sum(weights[name] * value for name, value in told.items())
    return np.asarray((1 - ALWAYS) / (1 + np.exp(-odds)))


def _settled(found: Study, likely: Mapping[int, float]) -> list[int]:
    """The spaces whose best claim is likely right, the likeliest first; no piece stands on two spaces."""
    order = sorted((k for k in likely if likely[k] >= LIKELY), key=lambda k: -likely[k])
    feet = np.array([found.claims[k][0].foot_mm for k in order]).reshape(-1, 2)
    radius = np.array([found.claims[k][0].radius_mm for k in order])
    near = np.hypot(*(feet[:, None] - feet).transpose(2, 0, 1)) < radius[:, None] + radius * 0.5
    settled: list[int] = []
    for k in range(len(order)):
        if not near[k, settled].any():
            settled.append(k)
    return [order[k] for k in settled]


@dataclass(frozen=True, eq=False)
class LeftOver:
    """What the bare board and the settled pieces of other spaces do not explain of each space: (N,) each, 0…1."""

    worst: Array  # the worst block where no such piece stands in the view
    middle: Array  # the worst of those about the middle, whatever stands there: no piece lies wholly beside them
    clear: Array  # the share that is clear


def _left_over(found: Study, rows: Array, settled: Collection[int]) -> LeftOver:
    """What is left over of spaces `rows`; the others are as they look by themselves."""
    sight, side = found.sight, found.maps.shape[1]
    worst, share = found.worst.astype(float), np.ones(len(found.worst))
    middle = worst.copy()
    clear = np.ones((len(rows), side, side), np.float32)
    if settled:
        at, size = sight.at[rows], np.array([max(sight.spaces[k].size_mm) for k in rows])
        claims = [found.claims[j][0] for j in settled]
        foot, head = np.array([claim.foot_mm for claim in claims]), np.array([claim.head_mm for claim in claims])
        radius = np.array([claim.radius_mm for claim in claims])
        apart = np.hypot(*(foot[:, None] - at).T)
        row, by = np.nonzero(apart < radius + np.hypot(*(head - foot).T) + size[:, None])
        if len(row):
            # Each space is taken to be 1 wide: one call for spaces of all sizes.
            wide = size[row, None]
            reach = (radius[by] * 1.1 + 0.5) / wide[:, 0]
            cover = Cover(foot[by] / wide, head[by] / wide, reach, np.ones(len(row), bool))
            hidden = cover.hides(at[row] / wide, np.zeros(len(row)), 1.0, side)
            starts = np.flatnonzero(np.diff(row, prepend=-1))
            clear[row[starts]] = ~np.logical_or.reduceat(hidden, starts, 0)
    k_px = max(3, round(0.29 * side))
    near = np.abs(np.arange(side)[:, None] - np.arange(side)) <= k_px // 2
    box = near.astype(np.float32) / np.float32(k_px)
    weight = box @ clear @ box
    mean = box @ (found.maps[rows] * clear) @ box / (weight + 1e-3)
    worst[rows] = (mean * (weight > 0.6)).max((1, 2), initial=0.0)
    amid = slice(side // 2 - round(MIDDLE * side), side // 2 + round(MIDDLE * side))
    middle[rows] = np.where(weight > 0.6, mean, box @ found.maps[rows] @ box)[:, amid, amid].max((1, 2), initial=0.0)
    share[rows] = clear.mean((1, 2))
    return LeftOver(worst, middle, share)


def _alone(claim: Claim) -> float:
    """How clearly a claim stands by itself, with no regard to others: above 1 it is to be believed."""
    return min((claim.bare - claim.cost) / 0.3, (0.8 - claim.cost) / 0.35)


def _beside(claims: list[Claim], space: Space) -> Claim | None:
    """A piece of another class that lies beside the best one on the same space: the space's middle between them."""
    best = claims[0]
    for claim in claims[1:]:
        between = np.abs(np.add(claim.foot_mm, best.foot_mm) / 2 - space.at_mm) / space.size_mm
        if claim.pieces != best.pieces and beside(best, claim) and between.max() < BETWEEN and _alone(claim) > 1:
            return claim
    return None


def _told(found: Study, known: PieceKnowledge, guesses: dict[str, Reading] | None = None) -> dict[str, Reading | str]:
    """What is to be said of every space of a board: what lies there, or why it is unsure."""
    spaces = found.sight.spaces
    found, likely, weighed = _compared(found, known)
    settled = _settled(found, likely)
    asked = [k for k in np.flatnonzero(found.worst > BUSY) if k not in settled or spaces[k].id in known.crowds]
    over = _left_over(found, np.array(asked, int), settled)
    bare = _bare(found, over)
    told = {
        space.id: (
            "out-of-view"
            if not found.seen[k]
            else _occupied(found, k, likely[k], float(over.worst[k]), known)
            if k in settled
            else Reading((), weighed[k][()])
            if weighed.get(k, {}).get((), 0.0) >= SURE
            else bare[k]
        )
        for k, space in enumerate(spaces)
    }
    if guesses is not None:
        bareness = _chances(_for_bare(over.worst, found.sharp, over.clear, found.signs, _gains(found)), FOR_BARE)
        for k in np.flatnonzero(found.seen).tolist():
            if not isinstance(told[spaces[k].id], Reading):
                guesses[spaces[k].id] = _guess(dict(weighed.get(k, {(): float(bareness[k])})))
    return told


def _guess(chances: dict[tuple[str, ...], float]) -> Reading:
    """What is likeliest on a space of which nothing is told, and what else may lie there."""
    best = max(chances, key=lambda pieces: chances[pieces])
    most = MOST_GUESSED if best else MOST_GUESSED_BARE
    return Reading(best, min(chances.pop(best), most), chances)


def _gains(found: Study) -> Array:
    """The most that the claims on each space gain: (N,)."""
    gain = np.full(len(found.signs), NO_CLAIM)
    for k, claims in found.claims.items():
        gain[k] = max(claim.gain for claim in claims)
    return gain


def _compared(
    found: Study, known: PieceKnowledge
) -> tuple[Study, dict[int, float], dict[int, dict[tuple[str, ...], float]]]:
    """Claims that are not quite clear by their figures beside what else may lie there, each drawn and compared.

    The study with the likeliest claims first, the chances of these, and those of all that may lie on compared spaces.
    """
    odds = log_odds(found, list(found.claims))
    likely = chances(found, odds)
    spaces = found.sight.spaces  # several pieces side by side are no explanation that is drawn
    asked = {k: odds[k] for k, c in likely.items() if c < CLEAR and spaces[k].id not in known.crowds}
    claims, weighed = dict(found.claims), {}
    for k, told in compared(found, known, asked, {k for k in asked if likely[k] >= SURE}).items():
        weighed[k] = {one.pieces: (1 - ALWAYS) * chance for one, chance in told}
        best = told[0][0]
        if likely[k] >= SURE and best.pieces == claims[k][0].pieces and weighed[k][best.pieces] >= SURE:
            # Its figures are all but clear: it was enough to ask whether anything speaks against them.
            likely[k] = max(likely[k], weighed[k][best.pieces])
            continue
        likely[k] = weighed[k][best.pieces] if best.base else 0.0
        if best.base:
            claims[k] = [_claim_of(best, claims[k]), *(c for c in claims[k] if c.pieces != best.pieces)]
    found = replace(found, claims=claims)
    alone = [k for k, c in likely.items() if c >= SURE and len(claims[k][0].pieces) == 1]
    for k in overlooked(found, known, (k for k in alone if spaces[k].id not in known.crowds)):
        likely[k] = min(likely[k], DOUBTFUL)
    return found, likely, weighed


def _claim_of(one: Explanation, claims: Sequence[Claim]) -> Claim:
    """An explanation as a claim, with the figures of the one that it was made of."""
    assert one.base is not None
    at = np.array(one.base.at_mm)
    like = min(claims, key=lambda claim: float(np.hypot(*(at - claim.base.at_mm))))
    off = at - like.base.at_mm
    foot, head = (tuple(np.add(place, off)) for place in (like.foot_mm, like.head_mm))
    return replace(like, pieces=one.pieces, foot_mm=foot, head_mm=head, base=one.base, top=one.top)


def _occupied(found: Study, k: int, chance: float, worst: float, known: PieceKnowledge) -> Reading | str:
    """What to say of a space whose best claim is likely; `worst` is its worst block beside it."""
    claims, pieces = found.claims[k], found.claims[k][0].pieces
    if chance < SURE:
        return "doubt"
    if found.sight.spaces[k].id in known.crowds:
        beside = _beside(claims, found.sight.spaces[k])
        if beside:
            pieces = tuple(sorted((*pieces, *beside.pieces)))
        elif worst > MORE_THERE:
            return "doubt"  # something else is beside what was found
    return Reading(pieces, chance)


def _bare(found: Study, over: LeftOver) -> list[Reading | str]:
    """What to say of each space if nothing is likely there."""
    sign, sharp = found.signs, found.sharp
    gain = _gains(found)
    no_other = gain < LEAST_GAIN
    plain = (over.clear > 0.6) & no_other & (np.minimum(over.worst, sharp + 0.2) < np.minimum(PLAIN, 0.8 * sign))
    plain |= (over.clear > 0.35) & (over.worst < np.minimum(CLEARLY_PLAIN, 0.65 * sign))
    # Something reaches in from beside, be it a die, a finger or another space's piece: none lies here.
    beside = ~plain & (over.clear > 0.35) & no_other & (over.middle < MIDDLE_PLAIN * sign)
    worst = np.where(beside, over.middle, over.worst)
    sharp = np.where(beside, np.minimum(sharp, over.middle), sharp)
    plain |= beside
    chance = _chances(_for_bare(worst, sharp, over.clear, sign, gain), FOR_BARE)
    sure = plain & ~found.sight.missing & (chance >= SURE)
    return [Reading((), float(chance[k])) if sure[k] else _why_unsure(found, k, plain[k]) for k in range(len(sign))]


def _why_unsure(found: Study, k: int, plain: bool) -> str:
    """Why it is not told whether a space is bare."""
    if found.sight.glare[k] > GLARE:
        return "glare"
    if found.sight.gain[k].sum() * MIDDLE_GREY < 3 * DARK:
        return "too-dark"
    claims = found.claims.get(k)
    return "doubt" if plain or (claims and claims[0].cost <= 0.6) else "hidden"
