"""Reads of a still table taken together."""

from __future__ import annotations

import pytest

from companion.observation import BoardSight, Observation, Reading
from companion.vision.gather import gathered

TEAL, BLACK = ("guest/teal",), ("guest/black",)
LIES = BoardSight(((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0)), 0.1)


def guessing(confidence: float, others: dict[tuple[str, ...], float]) -> Observation:
    return Observation({"board": LIES}, {}, {"0,0": "doubt"}, guesses={"0,0": Reading(TEAL, confidence, others)})


def test_what_is_likely_is_the_mean_of_all_reads() -> None:
    reads = [guessing(0.5, {BLACK: 0.4}), guessing(0.4, {BLACK: 0.3, (): 0.2})]
    told = gathered(None, reads, {"0,0"})
    assert told.unsure == {"0,0": "doubt"}
    guess = told.guesses["0,0"]
    assert (guess.pieces, guess.confidence) == (TEAL, pytest.approx(0.45))
    assert guess.others == pytest.approx({BLACK: 0.35, (): 0.1})


def test_what_no_read_had_first_may_be_likeliest_of_all() -> None:
    other = Observation({"board": LIES}, {}, {"0,0": "doubt"}, guesses={"0,0": Reading((), 0.5, {BLACK: 0.45})})
    told = gathered(None, [guessing(0.5, {BLACK: 0.45}), other], {"0,0"})
    assert told.guesses["0,0"].pieces == BLACK


def claiming(pieces: tuple[str, ...]) -> Observation:
    return Observation({"board": LIES}, {"0,0": Reading(pieces, 0.99)}, {})


def test_what_looks_as_it_did_but_for_the_light_is_what_it_was() -> None:
    untold = Observation({"board": LIES}, {}, {"0,0": "doubt"})
    told = gathered(claiming(TEAL), [untold, guessing(0.6, {BLACK: 0.3})], (), {"0,0"})
    assert told.spaces["0,0"].pieces == TEAL


def test_of_two_claims_on_what_looks_the_same_neither_is_taken() -> None:
    told = gathered(claiming(TEAL), [claiming(BLACK), claiming(BLACK)], (), {"0,0"})
    assert told.unsure == {"0,0": "doubt"} and not told.guesses
