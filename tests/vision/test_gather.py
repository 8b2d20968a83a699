"""Reads of a still table taken together."""

from __future__ import annotations

import pytest

from companion.observation import BoardSight, Die, Observation, Reading, UnsureDie
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


def test_of_two_claims_on_what_looks_the_same_neither_is_taken_but_both_are_weighed() -> None:
    """Two pieces with like patterns may look like one in two lights: what the reads agree on is likelier."""
    told = gathered(claiming(TEAL), [claiming(BLACK), claiming(BLACK)], (), {"0,0"})
    assert told.unsure == {"0,0": "doubt"}
    guess = told.guesses["0,0"]
    assert guess.pieces == BLACK and guess.others[TEAL] < guess.confidence < 0.95


def throwing(*dice: Die | UnsureDie) -> Observation:
    told = tuple(die for die in dice if isinstance(die, Die))
    unsure = tuple(die for die in dice if isinstance(die, UnsureDie))
    return Observation({"board": LIES}, {}, {}, told, unsure)


@pytest.mark.parametrize("sure", [True, False])
def test_a_die_of_which_now_one_face_now_another_is_told_is_in_doubt(sure: bool) -> None:
    """Its top and a side of it are less than a die apart: no two dice are."""
    top, side = Die(1, (400.0, 400.0), 0.97), Die(3, (425.0, 400.0), 0.97)
    first = throwing(top if sure else UnsureDie(top.at_px, "unclear", 1))
    told = gathered(None, [first, throwing(side), throwing(side)], ())
    assert not told.dice
    assert [die.value for die in told.unsure_dice] == [None]


@pytest.mark.parametrize("apart_px", [43, 25, 15])  # small dice on a large board are near one another
def test_two_dice_that_touch_are_two(apart_px: float) -> None:
    both = throwing(Die(1, (400.0, 400.0), 0.97), Die(3, (400.0 + apart_px, 400.0), 0.97))
    assert [die.value for die in gathered(None, [both, both], ()).dice] == [1, 3]


@pytest.mark.parametrize(("x", "in_doubt"), [(440.0, True), (600.0, False)])
def test_of_more_dice_than_there_are_two_beside_one_another_are_one(x: float, in_doubt: bool) -> None:
    """Four dice are thrown and five are read: one is another's side, if two lie so near; else nobody knows."""
    apart = [Die(value, (100.0, 150.0 * value), 0.97) for value in (1, 2, 3)]
    top, side = Die(6, (400.0, 800.0), 0.98), Die(4, (x, 800.0), 0.93)
    read = throwing(*apart, top, side)
    told = gathered(None, [read, read], (), most_dice=4)
    assert {die.value for die in told.dice} == ({1, 2, 3} if in_doubt else {1, 2, 3, 4, 6})
    assert [die.value for die in told.unsure_dice] == ([6] if in_doubt else [])
    assert len(gathered(None, [read, read], (), most_dice=5).dice) == 5
