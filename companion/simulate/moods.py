"""How lively it is at a simulated table: what happens there besides the actions of the game, and how often."""

from __future__ import annotations

from dataclasses import dataclass

STILL_FRAMES = 5  # at least: what was done lies still for so long before the next hand comes


@dataclass(frozen=True)
class Mood:
    """Shares are of the moments at which something could happen, between two actions or while a hand is on its way."""

    hesitates: float = 0.12  # a hand that stops half way
    turns_back: float = 0.06  # and goes out again, to come back later
    points: float = 0.05  # a hand that covers one space for a while and changes nothing
    goes_on: float = 0.15  # the hand stays in for the next action
    onto_board: float = 0.2  # dice that come to rest on the board
    lamp: float = 0.02
    sun: float = 0.03
    cup: float = 0.03
    bump: float = 0.02
    drift: float = 0.012  # how far the light strays from what it was, a deviation
    more_still: int = 5  # frames at most, besides STILL_FRAMES
    pace_mm: float = 130.0  # that a hand comes in a frame
    lights: tuple[str, ...] = ("window", "office", "overcast", "mixed", "warm-lamp")


CALM = Mood(
    hesitates=0.03,
    turns_back=0.0,
    points=0.0,
    goes_on=0.0,
    onto_board=0.0,
    lamp=0.0,
    sun=0.0,
    cup=0.0,
    bump=0.0,
    drift=0.004,
    more_still=2,
    lights=("office", "overcast", "window"),
)
USUAL = Mood()
LIVELY = Mood(
    hesitates=0.25,
    turns_back=0.15,
    points=0.15,
    goes_on=0.35,
    onto_board=0.4,
    lamp=0.06,
    sun=0.08,
    cup=0.08,
    bump=0.08,
    drift=0.03,
    more_still=9,
    pace_mm=170.0,
    lights=("window", "office", "overcast", "mixed", "warm-lamp", "dim", "lamp-glare"),
)
