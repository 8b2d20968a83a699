"""How the touchscreen looks, as far as that can be told without one."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from PIL import ImageFont

from companion.commands import own_kit
from companion.config import Config, ScreenSettings, config
from companion.document import Fault
from companion.games import NAMES
from companion.kit import Space
from companion.ui import window
from companion.ui.board_layout import is_numbered, lay_out
from companion.ui.theme import LIGHT, THEMES, Colour, Look, Theme, contrast
from companion.ui.view.health import SIGNS as HEALTH_SIGNS
from companion.ui.view.shapes import (
    ASKED,
    ILLEGAL,
    MARK_SIGNS,
    PROPOSED,
    UNDONE,
    UNEXPLAINED,
    UNFINISHED,
)
from companion.ui.view.wording import initial
from companion.ui.view.workbench import SIGNS as WORKBENCH_SIGNS
from tests.ui.tables import Seat

ROOT = Path(__file__).parent.parent.parent
ENOUGH = 4.5  # WCAG 2.1 for text


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_texts_stand_out_from_what_is_behind_them(theme: object) -> None:
    for ink in ("ink", "faint", "good", "doubt", "bad"):
        for ground in ("paper", "sheet"):
            assert contrast(getattr(theme, ink), getattr(theme, ground)) >= ENOUGH, (ink, ground)
    for name in ("key", "main"):
        assert contrast(getattr(theme, f"{name}_ink"), getattr(theme, name)) >= ENOUGH, name


def test_contrast_as_the_standard_has_it() -> None:
    assert contrast((0, 0, 0, 1), (1, 1, 1, 1)) == pytest.approx(21)
    assert contrast((1, 1, 1, 1), (1, 1, 1, 1)) == pytest.approx(1)


# Linear light as those see it who lack one kind of cone (Viénot, Brettel and Mollon 1999, as DaltonLens gives it; for
# the third the matrix of Machado, Oliveira and Fernandes 2009 at full severity).
BLIND = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def as_seen(shade: Colour, kind: str) -> Colour:
    """A colour as somebody sees it who is blind to some."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3]]
    seen = [min(1.0, max(0.0, sum(w * c for w, c in zip(row, linear, strict=True)))) for row in BLIND[kind]]
    red, green, blue = (c * 12.92 if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in seen)
    return red, green, blue, 1.0


def test_colour_blindness_as_it_is_known() -> None:
    """Grey stays grey; red and green are one to protans and deutans; blue is less blue to tritans."""
    for kind in BLIND:
        assert as_seen((0.5, 0.5, 0.5, 1), kind)[:3] == pytest.approx((0.5, 0.5, 0.5), abs=0.01)
    for kind in ("protan", "deutan"):
        red, green, _, _ = as_seen((0.8, 0.2, 0.1, 1), kind)
        assert red == pytest.approx(green, abs=0.01)
    assert as_seen((0, 0, 1, 1), "tritan")[2] < 0.7


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_texts_stand_out_for_those_too_who_are_blind_to_some_colours(theme: Theme, kind: str) -> None:
    for ink in ("ink", "faint", "good", "doubt", "bad"):
        for ground in ("paper", "sheet"):
            shades = (as_seen(getattr(theme, name), kind) for name in (ink, ground))
            assert contrast(*shades) >= 4.0, (ink, ground)
    for name in ("key", "main"):
        assert contrast(as_seen(getattr(theme, f"{name}_ink"), kind), as_seen(getattr(theme, name), kind)) >= 4.0
    assert contrast(as_seen(theme.framed, kind), as_seen(theme.paper, kind)) >= 3.0  # what a button would press


def test_nothing_is_told_by_its_colour_alone() -> None:
    """What marks a space, says how a line of calibrating stands, or how the device is, has a sign of its own."""
    assert set(MARK_SIGNS) == {PROPOSED, ILLEGAL, UNFINISHED, UNEXPLAINED, UNDONE, ASKED}
    assert MARK_SIGNS[UNEXPLAINED] == MARK_SIGNS[ASKED]  # both are a question
    assert len(set(MARK_SIGNS.values())) == len(MARK_SIGNS) - 1
    for signs in (WORKBENCH_SIGNS, HEALTH_SIGNS):
        assert len(set(signs.values())) == len(signs)


@pytest.mark.parametrize(("size", "mm"), [((800, 480), 5.248), ((1280, 720), 8.260), ((720, 1280), 8.260)])
def test_sizes_are_those_of_hands_and_eyes(size: tuple[int, int], mm: float) -> None:
    """7 inches are 177.8 mm; the diagonal of 800 × 480 is 933 px, that of 1280 × 720 is 1468.6 px."""
    look = Look(LIGHT, *size, 7.0)
    assert look.px_per_mm == pytest.approx(mm, abs=0.01)
    assert look.touch_px >= 9 * mm - 0.1
    assert look.text_px * 1456 / 2048 >= 4 * mm - 0.1  # Roboto's capitals are 1456 of its 2048 units high
    assert look.large_px * 1456 / 2048 >= 5 * mm - 0.1
    assert look.is_upright == (size[1] > size[0])


@pytest.mark.parametrize("size", [(380.0, 400.0), (300.0, 700.0), (800.0, 300.0)])
@pytest.mark.parametrize("name", NAMES)
def test_every_space_is_where_it_is_touched(name: str, size: tuple[float, float]) -> None:
    kit = own_kit(name)
    drawn = [space for space in kit.spaces if space.kind != "track"]
    layout = lay_out(kit, {space.id: () for space in drawn}, size, 20.0)
    assert {space.id for space in layout.spaces} == {space.id for space in drawn}
    for space in drawn:
        x, y = layout.at_px(space)
        assert 0 <= x <= size[0]
        assert 0 <= y <= size[1]
        assert layout.space_at(x, y) == space
    assert layout.space_at(-500, -500) is None
    assert all(not _over(one, other, layout) for one, other in combinations(layout.spaces, 2))


def _over(one: Space, other: Space, layout: object) -> bool:
    """Whether the middle of one lies on the other."""
    (x, y), (u, v) = layout.at_px(one), layout.at_px(other)  # type: ignore[attr-defined]
    half = layout.px_per_mm * min(*one.size_mm, *other.size_mm) / 2  # type: ignore[attr-defined]
    return abs(x - u) < half and abs(y - v) < half


@pytest.mark.parametrize("size", [(380.0, 400.0), (300.0, 700.0), (800.0, 300.0)])
def test_a_map_has_both_numbers_beside_it_by_which_its_spaces_are_called(size: tuple[float, float]) -> None:
    """Of "-4,2" the 2 stands before the row, the -4 at the lower end of the slanting column."""
    kit = own_kit("garden-guests")
    assert is_numbered(kit) and all(space.id == f"{space.tags['q']},{space.tags['r']}" for space in kit.spaces)
    layout = lay_out(kit, {space.id: () for space in kit.spaces}, size, 20.0)
    assert sorted(layout.labels.values()) == sorted([*map(str, range(-5, 6))] * 2)
    at = {space.id: layout.at_px(space) for space in layout.spaces}
    for space in layout.spaces:
        q, r = space.tags["q"], space.tags["r"]
        row = [at[each.id] for each in layout.spaces if each.tags["r"] == r]
        column = [at[each.id] for each in layout.spaces if each.tags["q"] == q]
        before = [(x, y) for (x, y), text in layout.labels.items() if text == str(r) and x < min(x for x, _ in row)]
        assert any(y == pytest.approx(row[0][1], abs=1.0) for _, y in before), space.id
        (x, y), (u, v) = min(column, key=lambda place: place[1]), max(column, key=lambda place: place[1])
        below = [label for label, text in layout.labels.items() if text == str(q) and label[1] > v]
        slant = (u - x) / (v - y)
        assert any(a == pytest.approx(u + slant * (b - v), abs=1.0) for a, b in below), space.id
    for (x, y), _ in layout.labels.items():
        assert 0 <= x <= size[0] and 0 <= y <= size[1]
        assert all(math.dist((x, y), place) > 0.6 * layout.step_px for place in at.values())


def test_a_map_whose_spaces_are_called_otherwise_has_no_numbers() -> None:
    kit = own_kit("garden-guests")
    renamed = replace(kit, spaces=tuple(replace(space, id=f"s{n}") for n, space in enumerate(kit.spaces)))
    assert not is_numbered(renamed)


def test_the_letters_have_every_sign_that_is_written() -> None:
    """All words and rulebooks, as far as they are not drawn otherwise."""
    origin = pytest.importorskip("kivy").__file__
    font = ImageFont.truetype(Path(origin).parent / "data" / "fonts" / "Roboto-Regular.ttf", 40)
    nothing = bytes(font.getmask("\uffff"))
    kinds = ("words.pot", "words.*.po", "forms.*.toml", "rulebook.*.md")
    pages = [page for kind in kinds for page in (ROOT / "companion").rglob(kind)]
    assert len(pages) == 4 + 4 + 6 + 6
    written = {sign for page in pages for sign in page.read_text(encoding="utf-8") if sign.isprintable()}
    assert "ő" in written
    assert {sign for sign in written if bytes(font.getmask(sign)) == nothing} == {"→"}


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("name", NAMES)
def test_no_two_sides_have_the_same_letter(name: str, language: str, tmp_path: Path) -> None:
    """Who owns what is told by a letter, so that nobody needs to tell colours apart."""
    seat = Seat(tmp_path, name)
    teller = seat.teller(language)
    letters = [initial(teller, side) for side in seat.game.seating(seat.kit).sides]
    assert len(set(letters)) == len(letters)
    seat.close()


def test_settings_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    assert config() == Config()
    (tmp_path / "config.toml").write_text(
        '[screen]\ninches = 10.1\ntheme = "dark"\nrotation = 90\nsize_px = [1280, 800]\n'
    )
    assert config().screen == ScreenSettings(10.1, "dark", 90, True, (1280, 800))


def test_where_nothing_can_be_shown_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(window, "SCREENS", tmp_path / "dri")
    with pytest.raises(Fault, match="neither a desktop nor a screen here"):
        window.open_window(tmp_path / "kivy", (800, 480))
    monkeypatch.setattr(window, "NEEDED", ("kivy", "nothing_of_that_name"))
    with pytest.raises(Fault, match=r"pip install 'garden-companion\[screen\]'"):
        window.open_window(tmp_path / "kivy", (800, 480))
    assert not (tmp_path / "kivy").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[screen]\ninch = 7", 'screen: unknown key "inch"; did you mean "inches"?'),
        ("[screen]\nrotation = 45", "screen.rotation: 45 found; expected one of 0, 90, 180, 270"),
        (
            '[screen]\ntheme = "drak"',
            'screen.theme: "drak" found; expected one of light, dark, contrast; did you mean "dark"?',
        ),
        ("[screen", "no valid TOML"),
    ],
)
def test_a_setting_that_is_none_is_told_in_one_line(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(Fault) as fault:
        config()
    assert str(fault.value).startswith(f"{tmp_path / 'config.toml'}: {told}")
