"""What may lie on a space drawn, and held beside a photograph of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.commands import own_kit
from companion.vision.alternatives import explanations, nearest
from companion.vision.board import find_boards
from companion.vision.chances import log_odds
from companion.vision.drawn import windows
from companion.vision.learned import Knowledge, knowledge_of
from companion.vision.likeness import AT_ONCE, Drawings, compared, left_of, light_of, networks
from companion.vision.pieces import studies
from tests.vision.photographs import Wanted, photograph

Array = np.ndarray[Any, Any]
KIT = own_kit("garden-guests")
GAMES = ("garden-dice", "garden-rush", "garden-guests")
WANTED = Wanted(
    size_px=(1100, 825), most_tilt_deg=15, hands=0.0, things=0.0, light="overcast", unruly=0.0, fill=(0.6, 0.6)
)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(tmp_path_factory.mktemp("home")))
        return knowledge_of(KIT)


@pytest.fixture(scope="module")
def seen(known: Knowledge) -> tuple[Any, dict[str, tuple[str, ...]]]:
    """One board of a rendered photograph, studied, and what lies on its spaces in full view."""
    pixels, truth = photograph(KIT, 77, 3, WANTED)
    view = find_boards(pixels, known.boards, KIT, None)
    assert view is not None
    (found,) = studies(pixels, view, known.pieces, KIT)
    names = (space.id for space in KIT.spaces if space.id not in truth["hidden"])
    return found, {name: tuple(truth["spaces"].get(name, ())) for name in names}


def test_what_lies_there_is_among_what_is_asked(known: Knowledge, seen: tuple[Any, dict[str, tuple[str, ...]]]) -> None:
    found, lies = seen
    for k in found.claims:
        if (name := found.sight.spaces[k].id) in lies:
            asked = [one.pieces for _, one in explanations(found, known.pieces, [k])]
            assert lies[name] in asked
            assert () in asked


@pytest.mark.parametrize("game", GAMES)
def test_hardly_anything_is_left_out_however_it_lies(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the first claims are: pieces lie anyhow, under lamps and in shadows, with discs on them."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    kit = own_kit(game)
    known, asked, missing = knowledge_of(kit), 0, []
    for number in range(3):
        pixels, truth = photograph(kit, 78, number, Wanted(hands=0.0, unruly=0.2))
        view = find_boards(pixels, known.boards, kit, None)
        for found in studies(pixels, view, known.pieces, kit) if view else ():
            for k, space in enumerate(space.id for space in found.sight.spaces):
                if k in found.claims and space not in known.pieces.crowds and space not in truth["hidden"]:
                    lies, asked = tuple(truth["spaces"].get(space, ())), asked + 1
                    if all(one.pieces != lies for _, one in explanations(found, known.pieces, [k])):
                        missing.append((number, space, lies))
    assert asked >= 40
    assert len(missing) <= 0.02 * asked, missing


@pytest.mark.parametrize("game", ["garden-guests", "garden-dice"])
def test_a_wrong_class_is_compared_with_the_right_one(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However clear a claim is by its figures, the class that really lies there is among what is nearest to it."""
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    kit = own_kit(game)
    known, asked, missing = knowledge_of(kit).pieces, 0, []
    pixels, truth = photograph(kit, 77, 3, WANTED)
    view = find_boards(pixels, knowledge_of(kit).boards, kit, None)
    assert view is not None
    for found in studies(pixels, view, known, kit):
        for k, (first, *_) in found.claims.items():
            name, group = found.sight.spaces[k].id, known.group_of(first.base.name)
            if name in truth["hidden"] or truth["spaces"].get(name, ())[:1] != [first.base.name]:
                continue
            wrong = group.names[group.names.index(first.base.name) - 1]
            base = replace(first.base, name=wrong)
            claim = replace(first, pieces=(wrong, *first.pieces[1:]), base=base)
            alone = replace(found, claims={k: [claim]})
            asked += 1
            if first.base.name not in {one.base.name for _, one in nearest(alone, known, [k]) if one.base}:
                missing.append((name, first.base.name))
    assert asked >= 10
    assert len(missing) <= 0.05 * asked, missing


def test_nothing_else_comes_out_where_what_is_likely_stands_out(
    known: Knowledge, seen: tuple[Any, dict[str, tuple[str, ...]]]
) -> None:
    found, _ = seen
    odds = log_odds(found, list(found.claims))
    every, few = (compared(found, known.pieces, odds, likely) for likely in ((), set(odds)))
    assert every.keys() == few.keys()
    assert {k: ways[0][0].pieces for k, ways in every.items()} == {k: ways[0][0].pieces for k, ways in few.items()}


def test_the_right_drawing_leaves_least(known: Knowledge, seen: tuple[Any, dict[str, tuple[str, ...]]]) -> None:
    """By far the most often: what differs by a rim of a few pixels may come out otherwise."""
    found, lies = seen
    right = total = 0
    for k in found.claims:
        if (name := found.sight.spaces[k].id) in lies:
            asked = explanations(found, known.pieces, [k])
            off = np.abs(left_of(windows(found, known.pieces, asked))).mean((1, 2))
            total += 1
            right += asked[int(off.argmin())][1].pieces == lies[name]
    assert total >= 10
    assert right >= 0.8 * total


def test_shares_are_of_all_that_may_lie_there(known: Knowledge, seen: tuple[Any, dict[str, tuple[str, ...]]]) -> None:
    found, lies = seen
    told = compared(found, known.pieces, log_odds(found, list(found.claims)))
    right = 0
    for k, ways in told.items():
        shares = [share for _, share in ways]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) < 1 + 1e-6
        right += ways[0][0].pieces == lies.get(found.sight.spaces[k].id, ways[0][0].pieces)
    assert right >= 0.9 * len(told)


def test_what_else_is_drawn_makes_no_difference(known: Knowledge, seen: tuple[Any, dict[str, tuple[str, ...]]]) -> None:
    found, _ = seen
    asked = explanations(found, known.pieces, list(found.claims))
    together = windows(found, known.pieces, asked)
    assert {len(one.pieces) for _, one in asked} == {0, 1, 2}
    for row in range(0, len(asked), 7):
        alone = windows(found, known.pieces, asked[row : row + 1])
        assert np.abs(alone.drawn[0] - together.drawn[row]).mean() < 0.05  # levels: places are rounded to 1/32 px


def test_what_else_is_scored_makes_no_difference(
    known: Knowledge, seen: tuple[Any, dict[str, tuple[str, ...]]]
) -> None:
    found, _ = seen
    every = windows(found, known.pieces, explanations(found, known.pieces, list(found.claims)))
    drawings = Drawings(every, *light_of(every), np.full(len(every.blur), np.nan))
    for network in networks():
        scores = drawings.scores(network)
        assert scores.shape == (len(every.blur),)
        assert len(scores) > 2 * AT_ONCE
        for row in (0, AT_ONCE - 1, AT_ONCE, len(scores) - 1):
            alone = drawings.rows(slice(row, row + 1)).scores(network)
            assert alone[0] == pytest.approx(scores[row], abs=1e-3)
