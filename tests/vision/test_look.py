"""Looking at the same table again: what changed is read anew, what did not stays as it was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import tests.vision.photographs as taking
from companion.commands import own_kit
from companion.observation import Frame, Observation
from companion.simulate.things import Hand, StandingDie
from companion.vision.learned import Knowledge, knowledge_of
from companion.vision.look import look
from tests.vision.rendered_table import Table, pieces_alike

Array = np.ndarray[Any, Any]
KIT = own_kit("garden-dice")


@pytest.fixture(scope="module", autouse=True)
def like_pieces() -> Iterator[None]:
    with pieces_alike():
        yield


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(tmp_path_factory.mktemp("home")))
        yield knowledge_of(KIT)


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(KIT)


@pytest.fixture(scope="module")
def seen(table: Table, known: Knowledge) -> Observation:
    return observed(look(Frame(table.photo), None, KIT, known))


def observed(what: Any) -> Observation:
    assert isinstance(what, Observation)
    return what


def wrong(seen: Observation, truth: dict[str, Any]) -> dict[str, Any]:
    """Claims that are not what lies there."""
    return {
        space: reading.pieces
        for space, reading in seen.spaces.items()
        if space not in truth["hidden"] and list(reading.pieces) != truth["spaces"].get(space, [])
    }


def marked(seen: Observation) -> Observation:
    """The same with every reading at a chance that no reading has, so that those read anew can be told."""
    return replace(seen, spaces={space: replace(reading, confidence=0.5) for space, reading in seen.spaces.items()})


def read_anew(seen: Observation) -> set[str]:
    return {space for space, reading in seen.spaces.items() if reading.confidence != 0.5}


def test_nothing_is_read_anew_where_only_noise_differs(table: Table, seen: Observation, known: Knowledge) -> None:
    photo, _ = table.again()
    again = observed(look(Frame(photo), None, KIT, known, marked(seen)))
    assert read_anew(again) == set()
    assert again.unsure == seen.unsure
    assert (again.dice, again.boards) == (seen.dice, seen.boards)


def test_a_little_more_light_changes_nothing(table: Table, seen: Observation, known: Knowledge) -> None:
    sensor = replace(table.room.sensor, exposure=table.room.sensor.exposure * 1.08)
    photo, _ = table.again(room=replace(table.room, sensor=sensor))
    assert read_anew(observed(look(Frame(photo), None, KIT, known, marked(seen)))) == set()


@pytest.mark.parametrize("way", ["taken", "moved"])
def test_spaces_that_changed_are_read_anew_and_few_others(
    way: str, table: Table, seen: Observation, known: Knowledge
) -> None:
    plots = [space.id for space in KIT.spaces if space.kind == "plot"]
    sure = [space for space in plots if space in seen.spaces and space not in table.truth["hidden"]]
    taken = next(space for space in sure if seen.spaces[space].pieces)
    bare = next(space for space in sure[::-1] if not seen.spaces[space].pieces)
    spaces = dict(table.placements.spaces)
    pile = spaces.pop(taken)
    if way == "moved":
        spaces[bare] = pile
    photo, truth = table.again(placements=replace(table.placements, spaces=spaces))
    again = observed(look(Frame(photo), None, KIT, known, marked(seen)))
    changed = {taken, bare} if way == "moved" else {taken}
    assert changed <= read_anew(again) | again.unsure.keys()
    assert len(read_anew(again)) <= len(changed) + 2
    assert again.spaces[taken].pieces == ()
    assert wrong(again, truth) == {}


def test_a_change_that_comes_little_by_little_is_noticed(table: Table, seen: Observation, known: Knowledge) -> None:
    """A piece fades from the picture in twelve steps, none of which shows by itself."""
    taken = next(s for s, reading in seen.spaces.items() if reading.pieces and s not in table.truth["hidden"])
    spaces = {space: pile for space, pile in table.placements.spaces.items() if space != taken}
    photo, truth = table.again(placements=replace(table.placements, spaces=spaces))
    now = seen
    for share in np.linspace(0, 1, 13):
        now = observed(look(Frame(cv2.addWeighted(table.photo, 1 - share, photo, share, 0)), None, KIT, known, now))
    assert now.spaces[taken].pieces == ()
    assert wrong(now, truth) == {}


def test_a_hand_over_the_board_makes_no_wrong_claim_and_goes_again(
    table: Table, seen: Observation, known: Knowledge
) -> None:
    photo, truth = table.again(room=replace(table.room, hands=(Hand((20.0, 20.0), 180.0, 3),)))
    with_hand = observed(look(Frame(photo), None, KIT, known, seen))
    assert wrong(with_hand, truth) == {}
    hidden = set(truth["hidden"]) - set(table.truth["hidden"])
    assert len(hidden) >= 5
    assert len(hidden & with_hand.unsure.keys()) > len(hidden) / 2  # what shows in part may be read
    assert with_hand.unsure.keys() > seen.unsure.keys()
    after = observed(look(Frame(table.photo), None, KIT, known, with_hand))
    assert {s: r.pieces for s, r in after.spaces.items()} == {s: r.pieces for s, r in seen.spaces.items()}


def test_a_shoved_board_is_followed(table: Table, seen: Observation, known: Knowledge) -> None:
    boards = tuple(replace(lie, at_mm=(lie.at_mm[0] + 1.2, lie.at_mm[1] - 0.8)) for lie in table.placements.boards)
    photo, truth = table.again(placements=replace(table.placements, boards=boards))
    again = observed(look(Frame(photo), None, KIT, known, seen))
    off = np.array(again.boards["board"].corners_px) - np.array(truth["boards"]["board"])
    assert np.linalg.norm(off, axis=1).max() < 2
    assert wrong(again, truth) == {}


@pytest.mark.parametrize("way", ["turned over", "gone"])
def test_a_die_that_changed_is_read_anew(way: str, table: Table, seen: Observation, known: Knowledge) -> None:
    first, *others = table.dice
    dice = [replace(first, value=first.value % 6 + 1), *others] if way == "turned over" else others
    photo, _ = table.again(dice=dice)
    again = observed(look(Frame(photo), None, KIT, known, seen))
    fresh = observed(look(Frame(photo), None, KIT, known))
    assert sorted(die.value for die in again.dice) == sorted(die.value for die in fresh.dice)
    assert sorted(die.value for die in again.dice) != sorted(die.value for die in seen.dice)


def test_a_die_on_a_bare_space_is_noticed(table: Table, seen: Observation, known: Knowledge) -> None:
    bare = next(s for s in KIT.spaces if s.kind == "plot" and s.id in seen.spaces and not seen.spaces[s.id].pieces)
    (lie,) = table.placements.boards
    at = taking.on_table(KIT.boards[0], lie, np.array([bare.at_mm]))[0]
    die = StandingDie(5, (float(at[0]), float(at[1])), 20.0, KIT.dice.size_mm, table.dice[0].look) if KIT.dice else None
    photo, truth = table.again(dice=[*table.dice[:3], die])
    again = observed(look(Frame(photo), None, KIT, known, seen))
    assert sum(d.value == 5 for d in again.dice) == sum(d["value"] == 5 for d in truth["dice"])
    assert wrong(again, truth) == {}


def test_spaces_on_which_only_dice_stand_are_bare(table: Table, known: Knowledge) -> None:
    plots = [s for s in KIT.spaces if s.kind == "plot" and s.id not in table.placements.spaces]
    (lie,) = table.placements.boards
    at = taking.on_table(KIT.boards[0], lie, np.array([space.at_mm for space in plots[:4]]) + (2.0, -4.0))
    assert KIT.dice
    dice = [
        StandingDie(value, (float(x), float(y)), 25.0 * value, KIT.dice.size_mm, table.dice[0].look)
        for value, (x, y) in zip((2, 4, 5, 6), at, strict=True)
    ]
    photo, truth = table.again(dice=dice)
    seen = observed(look(Frame(photo), None, KIT, known))
    assert sorted(die.value for die in seen.dice) == [2, 4, 5, 6]
    assert [seen.spaces[space.id].pieces for space in plots[:4]] == [()] * 4
    assert wrong(seen, truth) == {}


def test_a_die_does_not_make_a_tile_bare(table: Table, known: Knowledge) -> None:
    tiles = [space for space in KIT.spaces if space.kind == "plot" and space.id in table.placements.spaces]
    (lie,) = table.placements.boards
    at = taking.on_table(KIT.boards[0], lie, np.array([space.at_mm for space in tiles[:4]]))
    assert KIT.dice
    dice = [StandingDie(4, (float(x), float(y)), 30.0, KIT.dice.size_mm, table.dice[0].look) for x, y in at]
    photo, _ = table.again(dice=dice)
    seen = observed(look(Frame(photo), None, KIT, known))
    assert all(space.id in seen.unsure or seen.spaces[space.id].pieces for space in tiles[:4])


def test_in_the_noise_of_a_dim_photograph_no_piece_is_called_bare(own_home: Path) -> None:
    """On a board that is nearly full of them: how much noise there is cannot be told from its spaces."""
    kit = own_kit("garden-guests")
    pixels, truth = taking.photograph(kit, 7101, 23, taking.Wanted(size_px=(820, 616)))
    assert truth["light"] == "dim" and len(truth["spaces"]) > 0.6 * len(kit.spaces)
    seen = look(Frame(pixels), None, kit, knowledge_of(kit))
    assert isinstance(seen, Observation)
    bare = {space for space, reading in seen.spaces.items() if not reading.pieces}
    assert len(bare) >= 5 and not bare & set(truth["spaces"])
