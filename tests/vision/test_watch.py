"""A rendered table picture by picture: a move, hands that stop, a cup, a lamp, a shoved board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.commands import own_kit
from companion.observation import Frame, Reading
from companion.simulate.lying import BoardLies
from companion.simulate.things import Beside, Hand, StandingDie
from companion.vision.change import Change, Memory
from companion.vision.cover import covered
from companion.vision.learned import Knowledge, knowledge_of
from companion.vision.relit import may_have_left
from companion.vision.under_dice import under_dice
from companion.vision.watch import RESTS, STANDS, STAYS, Sighting, Watch
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
def still(table: Table) -> list[Array]:
    """Pictures of the table in which only the noise differs."""
    return [table.again(seed)[0] for seed in (1, 2, 3, 4)]


@pytest.fixture
def watch(known: Knowledge, still: list[Array]) -> Watch:
    """It has seen the table settle."""
    begun = Watch(KIT, known)
    assert see(begun, still)[-1].state == "settled"
    return begun


def see(watch: Watch, pictures: Sequence[Array]) -> list[Sighting]:
    return [watch.see(Frame(picture)) for picture in pictures]


def noisy(picture: Array, count: int) -> list[Array]:
    """The picture as a camera takes it again and again."""
    random = np.random.default_rng(9)
    noise = [random.normal(0, 1.5, picture.shape) for _ in range(count)]
    return [np.asarray((picture + grain).clip(0, 255), np.uint8) for grain in noise]


def wrong(sighting: Sighting, truth: dict[str, Any]) -> dict[str, Any]:
    """Claims that are not what lies there."""
    assert sighting.observation is not None
    told = {space: list(reading.pieces) for space, reading in sighting.observation.spaces.items()}
    return {space: pieces for space, pieces in told.items() if pieces != truth["spaces"].get(space, [])}


def a_tile(table: Table, sighting: Sighting) -> str:
    """A plot with a tile on it that was told."""
    assert sighting.observation is not None
    plots = [space.id for space in KIT.of_kind("plot")]
    return next(plot for plot in plots if table.truth["spaces"].get(plot) and plot in sighting.observation.spaces)


def test_a_still_table_is_read_and_then_left_alone(table: Table, known: Knowledge, still: list[Array]) -> None:
    told = see(Watch(KIT, known), [*still, still[0]])
    assert told[-1].state == "settled" and told[-1].done and not told[-1].fresh
    assert wrong(told[-1], table.truth) == {}
    assert not any(sighting.light for sighting in told)


def test_a_piece_taken_is_seen_once_two_reads_agree(watch: Watch, table: Table) -> None:
    before = watch.see(Frame(table.again(7)[0]))
    taken = a_tile(table, before)
    spaces = {space: pile for space, pile in table.placements.spaces.items() if space != taken}
    placements = replace(table.placements, spaces=spaces)
    pictures = [table.again(seed, placements=placements) for seed in (11, 12, 13, 14)]
    told = see(watch, [picture for picture, _ in pictures])
    assert [sighting.state for sighting in told[:3]] == ["moving", "moving", "settled"]
    assert told[2].observation is not None
    assert told[2].observation.spaces[taken].pieces == ()
    assert told[2].changed_at[taken] == told[1].picture
    assert wrong(told[-1], pictures[0][1]) == {}


def test_a_hand_that_stops_over_the_board_hides_it(watch: Watch, table: Table, still: list[Array]) -> None:
    picture, _ = table.again(21, room=replace(table.room, hands=(Hand((20.0, 20.0), 180.0, 3),)))
    told = see(watch, noisy(picture, STAYS + 2))
    assert [sighting.state for sighting in told] == ["moving"] + (STAYS + 1) * ["hidden"]
    assert not any(sighting.fresh for sighting in told)
    after = see(watch, noisy(still[0], 3))
    assert [sighting.state for sighting in after] == ["moving", "settled", "settled"]
    assert wrong(after[-1], table.truth) == {}


def test_a_cup_is_no_piece(watch: Watch, table: Table) -> None:
    picture, truth = table.again(31, room=replace(table.room, things=(Beside("cup", (30.0, 30.0), 0.0, 2),)))
    told = see(watch, noisy(picture, STANDS + 1))
    assert all(wrong(sighting, table.truth) == {} for sighting in told)
    assert told[3].state == "hidden"
    assert told[-1].observation is not None
    assert set(truth["hidden"]) & set(told[-1].observation.unsure)


def test_a_lamp_that_is_switched_is_told_and_no_piece(watch: Watch, table: Table) -> None:
    sensor = replace(table.room.sensor, exposure=table.room.sensor.exposure * 0.75)
    picture, truth = table.again(41, room=replace(table.room, sensor=sensor))
    told = see(watch, noisy(picture, 4))
    assert any(sighting.light for sighting in told)
    assert told[-1].state == "settled"
    assert wrong(told[-1], truth) == {}


@pytest.mark.parametrize("turn", [0.0, 10.0])
def test_a_shoved_board_is_found_again(watch: Watch, table: Table, turn: float) -> None:
    (lie,) = table.placements.boards
    shoved = BoardLies(lie.board, (lie.at_mm[0] + 15, lie.at_mm[1] - 12), lie.turn_deg + turn, lie.thick_mm)
    picture, truth = table.again(51, placements=replace(table.placements, boards=(shoved,)))
    told = see(watch, noisy(picture, 10))
    assert told[-1].state == "settled" and told[-1].observation is not None
    off = np.array(told[-1].observation.boards["board"].corners_px) - np.array(truth["boards"]["board"])
    assert np.linalg.norm(off, axis=1).max() < 2
    assert wrong(told[-1], truth) == {}


def test_a_board_shoved_to_the_pictures_edge_is_no_arm(watch: Watch, table: Table, still: list[Array]) -> None:
    """All of it looks otherwise, from the picture's edge on; it is found where it lies now, and soon."""
    (lie,) = table.placements.boards
    corners = np.array(table.truth["boards"][lie.board])
    px_per_mm = np.linalg.norm(corners[1] - corners[0]) / KIT.boards[0].size_mm[0]
    down_mm = (still[0].shape[0] - corners.max(0)[1]) / px_per_mm
    shoved = replace(lie, at_mm=(lie.at_mm[0], lie.at_mm[1] + down_mm), turn_deg=lie.turn_deg + 4)
    picture, truth = table.again(51, placements=replace(table.placements, boards=(shoved,)))
    told = see(watch, noisy(picture, 5))
    assert told[-1].state == "settled" and wrong(told[-1], truth) == {}


def remembered_change(watch: Watch, still: list[Array], mask: Array) -> tuple[Memory, Change]:
    """The settled table's memory, and a change of what `mask` (h, w) bool of the glance covers with stripes."""
    seen = watch.see(Frame(still[1])).observation
    assert seen is not None
    memory, height = seen.memory, seen.memory.glance.shape[0]
    stripes = np.where(np.arange(height)[:, None, None] % 4 < 2, 40, 160).astype(np.uint8)
    glance = np.where(mask[..., None], stripes, memory.glance)
    far = np.flatnonzero(np.repeat(mask[..., None], 3, axis=2))
    return memory, Change(frozenset(), far, np.ones((15, 20, 3)), memory.glance, glance)


@pytest.mark.parametrize(("wide_px", "covers"), [(30, True), (1, False)])
def test_an_arm_is_as_wide_as_a_finger_at_least(watch: Watch, still: list[Array], wide_px: int, covers: bool) -> None:
    """What reaches in from the edge over the board, broad as a sleeve or joined by nothing but threads."""
    seen = watch.see(Frame(still[1])).observation
    assert seen is not None
    mask = np.zeros(seen.memory.glance.shape[:2], bool)
    for left in range(0, 80, 4 * wide_px):
        mask[: mask.shape[0] // 2, mask.shape[1] // 2 + left : mask.shape[1] // 2 + left + wide_px] = True
    memory, change = remembered_change(watch, still, mask)
    assert covered(memory, change, KIT) == covers


def glance_mask(memory: Memory, left: float, top: float, right: float, bottom: float) -> Array:
    """A part of the glance (h, w) bool, its sides as shares of it."""
    height, width = memory.glance.shape[:2]
    mask = np.zeros((height, width), bool)
    mask[round(top * height) : round(bottom * height), round(left * width) : round(right * width)] = True
    return mask


@pytest.mark.parametrize(
    ("moved", "elsewhere", "covers"),
    [(0.0, True, False), (0.0, False, True), (0.06, True, True)],
    ids=["as it lay, with a piece put down since", "as it lay, and so all else", "shifted"],
)
def test_what_lies_still_through_a_hands_visit_is_no_arm(
    watch: Watch, still: list[Array], moved: float, elsewhere: bool, covers: bool
) -> None:
    """What reaches in from the edge over the board is an arm until something else changed while it lay as it was."""
    seen = watch.see(Frame(still[1])).observation
    assert seen is not None
    before = glance_mask(seen.memory, 0.45, 0.0, 0.6, 0.5)
    now = glance_mask(seen.memory, 0.45 + moved, 0.0, 0.6 + moved, 0.5)
    piece = glance_mask(seen.memory, 0.3, 0.6, 0.36, 0.68)
    memory, earlier = remembered_change(watch, still, before)
    _, change = remembered_change(watch, still, now | piece if elsewhere else now)
    assert covered(memory, earlier, KIT)
    assert covered(memory, change, KIT, None, earlier) == covers


def with_box(table: Table, picture: Array) -> Array:
    """The picture with a box on the table that reaches from the picture's lower edge 15 mm over the board's rim."""
    corners = np.array(table.truth["boards"]["board"])
    x, y = corners[np.argsort(corners[:, 1])[-2:]].mean(0)
    mm = np.linalg.norm(corners[1] - corners[0]) / KIT.boards[0].size_mm[0]
    boxed = picture.copy()
    boxed[round(y - 15 * mm) :, round(x - 30 * mm) : round(x + 30 * mm)] = (60, 40, 150)
    return boxed


@pytest.mark.parametrize("put", [True, False])
def test_a_turn_beside_a_box_at_the_pictures_edge_is_seen(
    known: Knowledge, table: Table, still: list[Array], put: bool
) -> None:
    """A hand puts a box down, or takes it; the next takes a tile.  Under it nothing is claimed that is not so."""
    watch = Watch(KIT, known)
    begun = with_box(table, still[0]) if not put else still[0]
    before = see(watch, noisy(begun, 4))[-1]
    assert before.state == "settled"
    taken = a_tile(table, before)
    spaces = {space: pile for space, pile in table.placements.spaces.items() if space != taken}
    hand, _ = table.again(83, room=replace(table.room, hands=(Hand((20.0, -20.0), 0.0, 3),)))
    after, truth = table.again(84, placements=replace(table.placements, spaces=spaces))
    boxed, under_hand, told = (
        see(watch, noisy(with_box(table, picture) if put else picture, 5)) for picture in (still[1], hand, after)
    )
    assert [sighting.state for sighting in boxed + under_hand] == 2 * (["moving"] + 4 * ["hidden"])
    assert told[-1].state == "settled" and told[-1].observation is not None
    assert told[-1].observation.spaces[taken].pieces == ()
    assert wrong(told[-1], truth) == {}


def test_under_an_arm_that_lies_still_while_another_comes_and_goes_nothing_new_is_claimed(
    watch: Watch, table: Table
) -> None:
    """It may lie there as a thing would: but what it hides is not told to be gone."""
    arm, other = Hand((20.0, 20.0), 180.0, 3), Hand((-60.0, -60.0), 0.0, 5)
    told = []
    for seed, hands in ((91, (arm,)), (92, (arm, other)), (93, (arm,))):
        picture, truth = table.again(seed, room=replace(table.room, hands=hands))
        told += see(watch, noisy(picture, 4))
    assert all(wrong(sighting, table.truth) == {} for sighting in told)
    plots = {space.id for space in KIT.of_kind("plot")} & set(truth["hidden"])
    assert plots and told[-1].observation is not None
    assert all(told[-1].clear_at[plot] < told[0].picture for plot in plots if table.truth["spaces"].get(plot))


@pytest.mark.parametrize("boxed", [False, True], ids=["an arm", "a box"])
def test_where_something_reached_in_for_long_and_has_gone_the_table_is_seen_at_once(
    watch: Watch, table: Table, still: list[Array], boxed: bool
) -> None:
    """It counted as a thing that stands there; what it leaves behind looks as before it came, and is no arm itself."""
    taken = a_tile(table, watch.see(Frame(still[1])))
    spaces = {space: pile for space, pile in table.placements.spaces.items() if space != taken}
    resting = still[2] if boxed else table.again(21, room=replace(table.room, hands=(Hand((20.0, 20.0), 180.0, 3),)))[0]
    resting = with_box(table, resting) if boxed else resting
    assert see(watch, noisy(resting, RESTS + 1))[-1].state == "settled"
    after, truth = table.again(84, placements=replace(table.placements, spaces=spaces))
    told = see(watch, noisy(after, 4))
    assert [sighting.state for sighting in told[2:]] == 2 * ["settled"]
    assert told[-1].observation is not None
    assert told[-1].observation.spaces[taken].pieces == ()
    assert wrong(told[-1], truth) == {}
    back_again = see(watch, noisy(resting, STAYS - 1))
    assert [sighting.state for sighting in back_again[1:]] == (STAYS - 2) * ["hidden"]


def test_an_empty_table_is_lost_and_says_what_to_do(watch: Watch, still: list[Array]) -> None:
    bare = np.full_like(still[0], 90)
    told = see(watch, noisy(bare, 3))
    assert told[-1].state == "lost"
    assert told[-1].advice
    assert see(watch, still)[-1].state == "settled"


def glaring(picture: Array) -> Array:
    """The picture with reflections on the table, at other places than before."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[:height, :width]
    spots = np.array([(0.45, 0.4), (0.6, 0.62), (0.35, 0.6), (0.55, 0.45)])
    veil = sum(np.exp(-((x / width - a) ** 2 + (y / height - b) ** 2) / (2 * 0.07**2)) for a, b in spots)
    return np.asarray((picture * 0.8 + 110.0 * np.asarray(veil)[..., None]).clip(0, 245), np.uint8)


def test_glare_hides_nothing_whose_print_is_still_seen(watch: Watch, table: Table, still: list[Array]) -> None:
    told = see(watch, noisy(glaring(still[0]), 4))
    assert told[-1].state == "settled"
    assert wrong(told[-1], table.truth) == {}


def test_under_glare_a_tile_looks_as_it_did_and_another_disc_on_it_does_not(
    watch: Watch, table: Table, still: list[Array]
) -> None:
    settled = watch.see(Frame(still[1]))
    tiles = [plot.id for plot in KIT.of_kind("plot") if table.truth["spaces"].get(plot.id)]
    discs = [tile for tile in tiles if table.placements.spaces[tile][-1].piece.startswith("disc/")]
    changed = discs[0]
    *under, disc = table.placements.spaces[changed]
    other = next(colour for colour in ("disc/blue", "disc/green", "disc/red") if colour != disc.piece)
    spaces = {**table.placements.spaces, changed: (*under, replace(disc, piece=other))}
    picture, _ = table.again(61, placements=replace(table.placements, spaces=spaces))
    told = see(watch, noisy(glaring(picture), 4))[-1]
    assert len(discs) >= 5
    assert [tile for tile in tiles if told.changed_at[tile] > settled.picture] == [changed]
    assert [tile for tile in tiles if told.otherwise_at.get(tile, 0) > settled.picture] == [changed]


@pytest.mark.parametrize(
    ("space", "pieces", "otherwise", "doubtful"),
    [
        ("track-0", ("disc/blue", "disc/yellow"), "track-1", True),
        ("track-0", ("disc/blue",), "track-1", False),
        ("track-0", ("disc/blue", "disc/yellow"), "track-40", False),
        ("track-0", (), "track-1", False),
        ("2,2", ("tomato/seed", "disc/blue"), "2,3", False),
    ],
    ids=[
        "one of two discs may have gone",
        "one lies within its place",
        "far away",
        "none lay there",
        "a tile lies within its plot",
    ],
)
def test_a_space_from_beside_which_a_piece_went_is_not_told_by_its_own_picture(
    space: str, pieces: tuple[str, ...], otherwise: str, doubtful: bool
) -> None:
    """On the track, places of 15.5 mm, two discs of 14.4 mm lie side by side: one of them on the next place, too."""
    left = {space: 0.9, otherwise: 6.5}
    found = may_have_left(KIT, {space: Reading(pieces, 0.99)}, {space}, left)
    assert found == ({space} if doubtful else set())


def test_a_shadow_that_reaches_in_hides_nothing(watch: Watch, table: Table, still: list[Array]) -> None:
    height, width = still[0].shape[:2]
    y, x = np.mgrid[:height, :width]
    across = (x / width - 0.5) + 0.3 * (y / height - 0.5)  # of a stripe from edge to edge
    shade = 1 - 0.4 / (1 + np.exp((np.abs(across) - 0.08) / 0.003)) * (y < 0.7 * height)
    shaded = np.asarray((still[0] * shade[..., None]).clip(0, 255), np.uint8)
    told = see(watch, noisy(shaded, 4))
    assert told[-1].state == "settled"
    assert wrong(told[-1], table.truth) == {}


def test_dice_that_come_to_rest_beside_the_board_are_read(table: Table, known: Knowledge) -> None:
    """A die that rolls far from the board moves nothing that matters; but it is looked at once it lies still."""
    far = [StandingDie(value, (-265.0 + 35 * value, -310.0), 20.0 * value) for value in (2, 3, 5, 6)]
    bare, thrown = (noisy(table.again(71, dice=dice)[0], 4) for dice in ([], far))
    watch = Watch(KIT, known)
    before, after = see(watch, bare)[-1], see(watch, [*thrown, thrown[0]])[-1]
    assert before.observation is not None and before.observation.dice == ()
    assert after.observation is not None
    assert sorted(die.value for die in after.observation.dice) == [2, 3, 5, 6]


def test_the_space_that_a_die_stands_on_is_known(watch: Watch, table: Table) -> None:
    seen = watch.see(Frame(table.again(7)[0])).observation
    assert seen is not None
    view, plot = seen.memory.view, KIT.of_kind("plot")[8]
    at = np.array([plot.at_mm, (plot.at_mm[0] + 12.0, plot.at_mm[1] - 12.0), (-40.0, 200.0)])
    middle, aside, off_board = ((float(x), float(y)) for x, y in view.pixels("board", at, 16.0))
    assert under_dice(view, KIT, [middle]) == under_dice(view, KIT, [aside]) == {plot.id}
    assert under_dice(view, KIT, [off_board]) == set()


# Pictures of a camera that fails


def test_a_black_picture_is_told_as_too_dark_and_nothing_is_claimed(watch: Watch, still: list[Array]) -> None:
    told = see(watch, [np.zeros_like(still[0])] * 3)
    assert (told[-1].state, told[-1].error) == ("lost", "too-dark")
    assert not any(sighting.fresh for sighting in told)
    assert see(watch, still)[-1].state == "settled"


def test_pictures_of_half_the_size_are_read_or_refused_but_never_wrong(
    watch: Watch, table: Table, still: list[Array]
) -> None:
    """A camera that was begun again may give smaller pictures."""
    half = [cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for picture in still]
    told = see(watch, half + half)
    assert told[0].state == "moving"
    assert told[-1].state in ("settled", "lost")
    assert all(wrong(sighting, table.truth) == {} for sighting in told if sighting.state == "settled")
    back = see(watch, still)
    assert back[-1].state == "settled" and wrong(back[-1], table.truth) == {}


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_a_torn_picture_is_motion_and_no_move(watch: Watch, table: Table, still: list[Array], share: float) -> None:
    """The upper part is of the table as it is, the lower of the table without a piece; the next is whole again."""
    taken = a_tile(table, watch.see(Frame(table.again(7)[0])))
    spaces = {space: pile for space, pile in table.placements.spaces.items() if space != taken}
    picture, _ = table.again(11, placements=replace(table.placements, spaces=spaces))
    torn = still[0].copy()
    cut = int(share * len(torn))
    torn[cut:] = picture[cut:]
    told = see(watch, [torn, *still])
    assert not told[0].fresh
    assert told[-1].state == "settled" and wrong(told[-1], table.truth) == {}


def test_the_cameras_own_small_picture_tells_motion_as_well(known: Knowledge, table: Table, still: list[Array]) -> None:
    """With the grey picture that a camera makes beside the large one the same is seen as without."""

    def with_small(picture: Array) -> Frame:
        grey = cv2.cvtColor(cv2.resize(picture, (352, 264), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        return Frame(picture, small=grey)

    spaces = dict(list(table.placements.spaces.items())[1:])
    after = [table.again(seed, placements=replace(table.placements, spaces=spaces))[0] for seed in (11, 12, 13)]
    plain, helped = Watch(KIT, known), Watch(KIT, known)
    for picture in [*still, *after]:
        one, other = plain.see(Frame(picture)), helped.see(with_small(picture))
        assert (one.state, one.fresh) == (other.state, other.fresh)
