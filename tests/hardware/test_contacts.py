"""Traces of two contacts, in ticks of 1/1024 s, and what they mean."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from hardware.contacts import Contacts

TICK_S = 1 / 1024  # of these sums and differences are exact
STEADY, HOLD = 30, 1000
Trace = list[tuple[int, str]]  # from when on which buttons are down: c, u, cu or none


def told(trace: Trace, until: int, every: int = 5) -> list[tuple[int, str]]:
    """What contacts that are looked at every few ticks tell, and when."""
    contacts = Contacts(STEADY * TICK_S, HOLD * TICK_S)
    found = []
    for at in range(0, until, every):
        level = [levels for begun, levels in trace if begun <= at][-1]
        down = {name for name in ("confirm", "undo") if name[0] in level}
        found += [(at, press) for press in contacts.feed(at * TICK_S, down)]
    return found


@pytest.mark.parametrize(
    ("trace", "presses"),
    [
        ([(0, ""), (100, "c"), (200, "")], [(230, "confirm")]),
        ([(0, ""), (100, "u"), (200, "")], [(230, "undo")]),
        ([(0, ""), (100, "u"), (1500, "")], [(1100, "menu")]),  # and letting it go says nothing more
        ([(0, ""), (100, "c"), (3000, "")], [(3030, "confirm")]),  # only undo has a second meaning
        ([(0, ""), (100, "c"), (120, "")], []),  # a spark
        ([(0, ""), (100, "c"), (200, ""), (300, "c"), (400, "")], [(230, "confirm"), (430, "confirm")]),
    ],
)
def test_single_presses(trace: Trace, presses: list[tuple[int, str]]) -> None:
    assert told(trace, 4000) == presses


def test_a_bouncing_contact_is_one_press() -> None:
    """It rattles for up to 25 ticks whenever it is pressed or let go; forty ways of it by chance."""
    for seed in range(40):
        random = Random(seed)
        trace: Trace = [(0, "")]
        for begun, level in ((500, "c"), (800, "")):
            rattle = sorted(random.sample(range(begun, begun + 25), 2 * random.randint(0, 5)))
            trace += [(at, "c" if number % 2 == 0 else "") for number, at in enumerate(rattle)]
            trace.append((begun + 25, level))
        assert [press for _, press in told(trace, 2000, every=1)] == ["confirm"]


def test_an_edge_that_nobody_noticed_costs_nothing_but_time() -> None:
    assert told([(0, ""), (100, "c"), (700, "")], 2000, every=250) == [(1000, "confirm")]


@pytest.mark.parametrize(
    "trace",
    [
        [(0, ""), (100, "c"), (200, "cu"), (300, "u"), (400, "")],
        [(0, ""), (100, "u"), (200, "cu"), (300, "u"), (2400, "")],
        [(0, ""), (100, "cu"), (300, "")],
    ],
    ids=["one after the other", "undo is held after it", "at once"],
)
def test_both_pressed_say_nothing(trace: Trace) -> None:
    assert told([*trace, (3000, "u"), (3100, "")], 4000) == [(3130, "undo")]  # and afterwards all is as before


def test_a_stuck_button_is_told_does_nothing_and_leaves_the_other_alone() -> None:
    trace = [(0, ""), (100, "c"), (9000, "cu"), (9200, "c"), (20_000, ""), (20_500, "c"), (20_600, "")]
    assert told(trace, 22_000) == [
        (8295, "confirm-stuck"),
        (9230, "undo"),
        (20_030, "confirm-freed"),
        (20_630, "confirm"),
    ]


def test_a_button_that_is_down_from_the_start_is_no_press() -> None:
    assert told([(0, "u"), (2000, ""), (2500, "u"), (2600, "")], 4000) == [(2630, "undo")]


def test_no_trace_confirms_more_often_than_the_button_goes_down() -> None:
    """Two buttons hit at random: of each no more presses than times it was down for long enough."""
    for seed in range(30):
        random = Random(seed)
        trace: Trace = [(0, "")]
        at = 0
        for _ in range(60):
            at += random.choice((5, 20, 40, 150, 1200))
            trace.append((at, random.choice(("", "", "c", "u", "cu"))))
        trace.append((at + 500, ""))
        presses = [press for _, press in told(trace, at + 1000)]
        for letter, name in (("c", ("confirm",)), ("u", ("undo", "menu"))):
            levels = [letter in level for _, level in trace]
            times = sum(now and not before for before, now in pairwise(levels))
            assert sum(press in name for press in presses) <= times


def test_nobody_need_look_often_while_nothing_is_down() -> None:
    contacts = Contacts(0.03, 1.0)
    rest = []
    for at_s, down in ((0, ()), (1, ("confirm",)), (1.1, ("confirm",)), (9.5, ("confirm",)), (10, ()), (10.1, ())):
        contacts.feed(at_s, set(down))
        rest.append(contacts.at_rest)
    assert rest == [True, False, False, True, True, True]
