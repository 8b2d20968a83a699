"""What people read holds words, in their language: no name that only files and programs use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.dialogue import Copy
from companion.account import Teller
from companion.commands import own_kit
from companion.commands.demo import SCENES, DemoHouse
from companion.document import Field
from companion.games import NAMES, load_game
from companion.kit import Kit
from companion.rules import LANGUAGES, State
from companion.session import Session
from companion.ui.view import View
from companion.ui.view.copies import Edit, copy_view
from companion.ui.view.corrections import corrections
from companion.ui.view.dispute import ask
from companion.ui.view.new_game import first_draft, new_game
from companion.ui.view.steps import AtSpace, Start
from companion.ui.view.wording import copy_name, place_name
from tests.ui.tables import Seat

CLAUSE = re.compile(r"\b[a-z]+\.[a-z-]+")  # how the rulebook calls its clauses, as in "water.value"
KITS = tuple(map(own_kit, NAMES))
IDS = {piece.name for kit in KITS for piece in kit.pieces if "/" in piece.name}  # as "tomato/seed"
IDS |= {space.id for kit in KITS for space in kit.spaces if space.id[0].isalpha() and "-" in space.id}  # as "track-98"
ID = re.compile(rf"\b(?:{'|'.join(map(re.escape, IDS))})\b")


def english_names() -> set[str]:
    """The names of pieces, colours, teams, flowers and tools that Hungarian has another word for."""
    found: set[str] = set()
    for name in NAMES:
        kit, hungarian = own_kit(name), Teller(load_game(name), "hu")
        words = {part for piece in kit.pieces for part in piece.name.split("/")}
        words |= {value for space in kit.spaces for value in space.tags.values() if isinstance(value, str)}
        found |= {word for word in words if hungarian.plain(word) != word}
    assert {"tomato", "blue", "teal", "mole", "rock", "sunflower"} <= found
    return found


def told_by(view: View) -> Iterator[str]:
    """All that is written on the table's screen and on the one that says what else may have happened."""
    news = view.news
    yield from (view.turn, view.sight, view.last, news.headline, *news.lines, *(choice.text for choice in news.choices))
    yield from (*view.may, *view.notices, *view.result)
    for side in view.sides:
        yield from (side.name, side.letter, *side.holds)


def told_besides(state: State, kit: Kit, teller: Teller) -> Iterator[str]:
    """What is written where a space is asked about or put right, for some spaces, and before such a game begins."""
    game, session = teller.game, Session.begin(teller.game, state)
    places = {space.id: place for space in kit.spaces if (place := game.place(space)) is not None}
    lying = [space for space, place in places.items() if game.expected(state).get(place)]
    for space in (lying or list(places))[:4]:
        answer = ask(space, state, kit, teller)
        yield from (answer.headline, answer.lies, *(way.text for way in answer.ways))
        for may in answer.may:
            yield from (may.text, *may.preview.lines, *may.preview.open, may.preview.totals)
        yield from (text for refusal in answer.may_not for text in (refusal.text, refusal.why))
        for menu in (corrections(step, session, kit, teller) for step in (Start(), AtSpace(), AtSpace(space))):
            yield from (menu.title, *menu.lines, *(tap.text for tap in menu.taps))
    begun = new_game(first_draft(game, kit), [(game, kit)], teller)
    yield from (*begun.start, *begun.wrong, *begun.notices, *(kit.text for kit in begun.kits))
    yield from (text for dealt in begun.dealt for text in (dealt.name, dealt.lies, *(tap.text for tap in dealt.taps)))


@pytest.mark.parametrize("scene", SCENES)
def test_nothing_that_is_told_has_an_id_or_a_word_of_another_language_in_it(scene: str, tmp_path: Path) -> None:
    foreign = re.compile(rf"\b(?:{'|'.join(english_names())})\b", re.IGNORECASE)
    house = DemoHouse(tmp_path)
    for language in LANGUAGES:
        showing = house.put_on_the_table(scene, language) if house.showing is None else house.showing
        showing.speak(Teller(showing.teller.game, language))
        state = showing.game.table.log.session.state
        texts = [*told_by(showing.view), *showing.told, *told_besides(state, showing.kit, showing.teller)]
        told = [CLAUSE.sub("", text) for text in texts]
        assert [text for text in told if ID.search(text)] == []
        assert language != "hu" or [text for text in told if foreign.search(text)] == []
        assert len(list(filter(None, told))) > 20
    house.close()


def renamed(kit: Kit) -> Kit:
    """A kit that calls its spaces as nobody does: s001 and so on."""
    return replace(kit, spaces=tuple(replace(space, id=f"s{n:03}") for n, space in enumerate(kit.spaces)))


STRANGE = re.compile(r"s\d\d\d", re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["garden-dice", "garden-rush"])
def test_spaces_are_called_as_the_game_calls_them_whatever_the_kit_does(name: str, language: str) -> None:
    """On the map of Garden Guests they are called as the kit calls them: its positions know no other name."""
    game, kit = load_game(name), renamed(own_kit(name))
    teller = Teller(game, language)
    scene = next(scene for scene in SCENES.values() if scene.position["game"] == name)
    state = game.read_position(Field(dict(scene.position)), kit)
    names = [place_name(teller, space.id, kit) for space in kit.spaces]
    space = next(space.id for space in kit.spaces if game.place(space) is not None)
    answer, session = ask(space, state, kit, teller), Session.begin(game, state)
    menus = [corrections(step, session, kit, teller) for step in (AtSpace(), AtSpace(space))]
    begun = new_game(first_draft(game, kit), [(game, kit)], teller)
    told = [answer.headline, answer.lies, *(possible.text for possible in answer.may), *begun.start, *begun.wrong]
    told += [text for menu in menus for text in (menu.title, *menu.lines, *(tap.text for tap in menu.taps))]
    told += [dealt.name for dealt in begun.dealt]
    assert len(set(names)) == len(kit.spaces) and len(told) > 40
    assert [text for text in (*names, *told) if STRANGE.search(text)] == []


def test_what_nothing_explains_is_told_so_too(sit: Callable[..., Seat], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.ui.tables.own_kit", lambda name: renamed(own_kit(name)))
    turn = {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]}
    seat = sit("garden-dice", turn=turn)
    at = {seat.game.place(space): space.id for space in seat.kit.spaces}
    seat.settles({at["3,3"]: ["squash/vegetable", "disc/green"], at["5,1"]: ["eggplant/seed", "disc/green"]})
    assert seat.view().news.lines == (
        "3,3: empty, seen: squash, green disc",
        "5,1: empty, seen: eggplant seed, green disc",
    )


@pytest.mark.parametrize(
    ("name", "game", "english", "hungarian"),
    [
        ("Garden Rush, own print", "garden-rush", "Garden Rush, own print", "Garden Rush, nyomtatott"),
        ("Own copy 3", "garden-dice", "Own copy 3", "3. saját példány"),
        ("12. saját példány", "garden-dice", "Own copy 12", "12. saját példány"),
        ("Nagyi példánya", "garden-dice", "Nagyi példánya", "Nagyi példánya"),
        ("Own copy of mine", "garden-dice", "Own copy of mine", "Own copy of mine"),
        ("Garden Dice, own print", "garden-rush", "Garden Dice, own print", "Garden Dice, own print"),
    ],
)
def test_a_copy_that_nobody_named_is_called_in_the_language_that_is_spoken(
    name: str, game: str, english: str, hungarian: str
) -> None:
    assert (copy_name(name, game, "en"), copy_name(name, game, "hu")) == (english, hungarian)


@pytest.mark.parametrize("name", NAMES)
def test_the_projects_own_kits_are_called_so(name: str) -> None:
    kit = own_kit(name)
    assert copy_name(kit.name, kit.game, "hu").endswith(", nyomtatott")
    assert copy_name(kit.name, kit.game, "en") == kit.name


def test_a_copys_own_screen_too() -> None:
    copy = Copy("garden-dice-1", "Own copy 1", "garden-dice", {"board": True}, 12, 19)
    assert copy_view(copy, Edit("garden-dice-1"), "/aside", "hu").title == "1. saját példány"
