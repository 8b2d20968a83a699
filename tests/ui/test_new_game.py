"""Putting a new game together; the values are worked out by hand, the laws are held over random taps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.account import Teller
from companion.commands import own_kit
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES, Allowed, judge
from companion.session import Session
from companion.simulate.players import choose, start
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.ui.view.naming import Naming, begun, keyboard, named, typed
from companion.ui.view.new_game import Draft, Last, NewGame, first_draft, new_game, with_seen
from companion.ui.view.taps import Tap
from companion.ui.view.wording import piece_name

KITS = [(load_game(name), own_kit(name)) for name in NAMES]
HEDGE = {"trampoline": ("potato/double",)} | {f"hedge-{n}": ("carrot/double",) for n in range(1, 6)}
games = pytest.mark.parametrize("name", NAMES)


def shown(draft: Draft, language: str = "en") -> NewGame:
    return new_game(draft, KITS, Teller(load_game(draft.kit.game), language))


def drafted(name: str) -> Draft:
    draft = first_draft(load_game(name), own_kit(name))
    return with_seen(draft, load_game(name), HEDGE) if name == "garden-rush" else draft


def all_taps(view: NewGame) -> list[Tap[Draft]]:
    rows: list[tuple[Tap[Draft], ...]] = [view.kits, view.players, view.teams, view.more]
    rows += [row.taps for row in (*view.seats, *view.rules, *view.dealt)]
    return [tap for row in rows for tap in row]


def tapped(taps: tuple[Tap[Draft], ...], text: str) -> Draft:
    return next(tap.to for tap in taps if tap.text == text)


def start_of(view: NewGame) -> Mapping[str, Any]:
    assert view.begin is not None and view.wrong == ()
    state = view.begin.to.start
    return load_game(view.begin.to.kit.game).write_position(state)


def test_two_players_by_the_book_is_one_tap() -> None:
    view = shown(drafted("garden-dice"))
    position = start_of(view)
    assert [player["colour"] for player in position["players"]] == ["blue", "yellow"]
    assert position["supply"] == dict.fromkeys(("squash", "carrot", "tomato", "artichoke", "eggplant"), 5)
    assert position["options"] == {} and position["turn"]["player"] == "blue"
    assert view.start[0] == "Blue: sun, critter, sundial, rock"
    assert view.start[2] == "In the supply: squash 5, carrot 5, tomato 5, artichoke 5, eggplant 5"
    assert not any(rule.changed for rule in view.rules)
    assert [(tap.text, tap.chosen) for tap in view.players] == [("2", True), ("3", False), ("4", False)]


def test_seats_are_kept_when_a_player_joins_and_the_order_can_be_changed() -> None:
    draft = tapped(shown(drafted("garden-dice")).players, "3")
    view = shown(draft)
    assert [seat.side for seat in view.seats] == ["blue", "yellow", "green"]
    assert [seat.note for seat in view.seats] == ["begins", "", ""]
    begins = tapped(view.seats[2].taps, "begins")
    assert begins.sides == ("green", "blue", "yellow")  # clockwise as before
    earlier = tapped(shown(begins).seats[2].taps, "one seat earlier")
    assert earlier.sides == ("green", "yellow", "blue")
    instead = tapped(shown(earlier).more, "Red instead")
    assert instead.sides == ("green", "yellow", "red")
    assert start_of(shown(instead))["turn"]["player"] == "green"


def test_a_house_rule_with_its_clause_and_back_to_the_book() -> None:
    view = shown(drafted("garden-dice"), "hu")
    rule = next(rule for rule in view.rules if rule.name == "A szelídebb játék")
    assert rule.clause == "variant.family" and rule.why == Teller(KITS[0][0], "hu").clauses["variant.family"].text
    gentler = tapped(rule.taps, "nélkülük")
    changed = next(rule for rule in shown(gentler, "hu").rules if rule.clause == "variant.family")
    assert changed.changed and [tap.chosen for tap in changed.taps] == [False, True]
    assert [tap.note for tap in changed.taps] == ["a szabálykönyv szerint", ""]
    position = start_of(shown(gentler))
    assert position["options"] == {"family": True} and not position["players"][0]["critter"]
    assert tapped(changed.taps, "madárral és nyúllal").options == {}


def test_what_lies_on_the_hedge_is_seen_or_told() -> None:
    view = shown(first_draft(load_game("garden-rush"), own_kit("garden-rush")))
    assert view.begin is None
    assert view.wrong == ("Not known yet what lies on trampoline, hedge 1, hedge 2, hedge 3, hedge 4, hedge 5.",)
    seen = with_seen(drafted("garden-rush"), load_game("garden-rush"), {"hedge-2": ("tomato/double",)})
    position = start_of(shown(seen))
    assert position["trampoline"] == "potato"
    assert position["hedge"] == ["carrot", "tomato", "carrot", "carrot", "carrot"]
    told = tapped(shown(seen).dealt[0].taps, "broccoli")
    assert start_of(shown(told))["trampoline"] == "broccoli"
    assert shown(told).table["trampoline"] == ("broccoli/double",)


def test_six_players_form_two_teams_or_three() -> None:
    six = tapped(shown(drafted("garden-guests")).players, "6")
    view = shown(six)
    assert [(tap.text, tap.chosen) for tap in view.teams] == [("2 teams", True), ("3 teams", False)]
    assert [seat.note for seat in view.seats] == ["begins, players: 3", "players: 3"]
    three = shown(tapped(view.teams, "3 teams"))
    assert [seat.note for seat in three.seats] == ["begins, players: 2", "players: 2", "players: 2"]
    assert [team["hands"] for team in start_of(three)["teams"]] == [[5, 5], [5, 5], [5, 5]]
    five = shown(tapped(view.players, "5"))
    assert five.teams == () and [seat.note for seat in five.seats][2] == "players: 1"


def test_the_next_game_begins_like_the_last() -> None:
    game, kit = load_game("garden-guests"), own_kit("garden-guests")
    six = tapped(shown(drafted("garden-guests")).players, "6")
    teams = tapped(shown(six).teams, "3 teams")
    rule = next(rule for rule in shown(teams).rules if rule.clause == "path.secure")
    chosen = next(tap.to for tap in rule.taps if not tap.chosen)
    begin = shown(chosen).begin
    assert begin is not None
    last = Last(Session.begin(game, begin.to.start), chosen.names)
    assert first_draft(game, kit, last) == chosen
    dice = load_game("garden-dice")
    assert first_draft(dice, own_kit("garden-dice"), last) == drafted("garden-dice")


def test_what_nobody_entered_of_a_copy_is_told() -> None:
    kit = own_kit("garden-rush")
    bare = replace(kit, patterns={**kit.patterns, "tomato": ()})
    draft = with_seen(first_draft(load_game("garden-rush"), bare), load_game("garden-rush"), HEDGE)
    assert shown(draft).notices == ("A bed shape is not entered: tomato.",)
    assert shown(draft).begin is not None and shown(drafted("garden-rush")).notices == ()


def test_what_cannot_be_is_said() -> None:
    view = shown(replace(drafted("garden-dice"), sides=("blue", "blue")))
    assert view.begin is None and view.start == () and "each colour once" in view.wrong[0]


@games
@given(seed=st.integers(0, 2**32 - 1))
def test_whatever_is_tapped_a_game_can_begin(tmp_path_factory: pytest.TempPathFactory, name: str, seed: int) -> None:
    """Every draft that taps lead to shows itself in both languages, and what it begins with is kept as it is."""
    random, draft = Random(seed), drafted(name)
    for _ in range(6):
        tap = random.choice(all_taps(shown(draft)))
        draft = tap.to
        if draft.kit.game == "garden-rush":
            draft = with_seen(draft, load_game("garden-rush"), {} if all(draft.dealt) else HEDGE)
    for language in LANGUAGES:
        view = shown(draft, language)
        assert view.wrong == () and view.begin is not None
        assert sum(tap.chosen for tap in view.kits) == 1
        assert all(sum(tap.chosen for tap in rule.taps) == 1 for rule in view.rules)
        assert "{" not in "".join(view.start)
    game = load_game(draft.kit.game)
    shelf = Shelf(Path(tmp_path_factory.mktemp("games")), Games(NAMES, load_game), lambda: 0.0)
    with shelf.begin(game, view.begin.to.start) as log:
        assert log.session.state == view.begin.to.start


def spelled(draft: Draft, side: str, text: str) -> Naming:
    naming = replace(begun(draft, side), text="")
    for sign in text:
        naming = typed(naming, sign)
    return naming


@pytest.mark.parametrize(
    ("signs", "name"),
    [
        ("anna", "Anna"),
        ("ÁRPÁD", "ÁRPÁD"),
        ("anna mária", "Anna Mária"),
        ("kis-nagy", "Kis-Nagy"),
        (" - anna", "Anna"),
        ("anna  -", "Anna"),
        ("x1\n", "X"),
        ("bartholomäuslein", "Bartholomäus"),
        ("", None),
    ],
)
def test_a_name_is_typed_sign_by_sign(signs: str, name: str | None) -> None:
    assert named(spelled(drafted("garden-dice"), "blue", signs)).names.get("blue") == name


def test_players_are_called_by_their_own_names() -> None:
    draft = named(spelled(named(spelled(drafted("garden-dice"), "blue", "anna")), "yellow", "béla"))
    view = shown(draft)
    assert [seat.name for seat in view.seats] == ["Anna (Blue)", "Béla (Yellow)"]
    assert view.begin is not None and view.begin.to.names == {"blue": "Anna", "yellow": "Béla"}
    assert any(line.startswith("Anna:") for line in view.start)
    assert named(typed(begun(draft, "blue"), "")).names["blue"] == "Ann"
    assert named(spelled(draft, "blue", "")).names == {"yellow": "Béla"}
    same = shown(named(spelled(draft, "yellow", "anna")))
    assert (same.begin, same.wrong) == (None, ("Two players have the same name.",))


def test_a_name_of_ones_own_takes_no_endings() -> None:
    teller = Teller(load_game("garden-dice"), "hu", {"blue": "Anna"})
    assert (teller.name("blue"), teller.plain("blue"), teller.name("red")) == ("Anna", "kék", "piros")
    told = [teller.sentence.tell("{player:az} befejezi a körét.", {"player": side}) for side in ("blue", "red")]
    assert told == ["Anna befejezi a körét.", "A piros befejezi a körét."]
    english = Teller(load_game("garden-dice"), "en", {"blue": "Anna"})
    assert english.sentence.tell("it eats {owner:own} {piece}", {"owner": "blue", "piece": "rock"}) == (
        "It eats Anna's rock"
    )
    guests = Teller(load_game("garden-guests"), "hu", {"gold": "Ödön"})
    assert [guests.sentence.tell("{team:az} következik.", {"team": team}) for team in ("gold", "teal")] == [
        "Ödön csapata következik.",
        "A türkiz csapat következik.",
    ]
    assert piece_name(teller, "disc/blue") == piece_name(Teller(load_game("garden-dice"), "hu"), "disc/blue")


@games
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_game_is_told_with_names_and_without_brackets_or_articles(name: str, language: str) -> None:
    """What the words make of a name has to be right for every name: no ending, and no article, fits them all."""
    game, kit, random = load_game(name), own_kit(name), Random(5)
    names = dict(zip(game.seating(kit).sides, ("Anna", "Ödön", "Zsófi", "Béla"), strict=False))
    teller, state = Teller(game, language, names), start(game, 2, {}, random, kit)
    told: list[str] = []
    while (action := choose(game, state, random)) is not None and len(told) < 2000:
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed)
        told += teller.lines(state, action, ruling)
        state = ruling.state
    named = [line for line in told if any(own in line for own in names.values())]
    assert len(named) > 20
    one = "(Anna|Ödön|Zsófi|Béla)"
    wrong = re.compile(rf"\b(az?|the) {one}|{one}( \(|-?[a-záéíóöőúüű'])", re.IGNORECASE)
    found = [line for line in named if wrong.search(line.replace("'s", ""))]
    assert found == []


def test_a_keyboard_has_every_letter_of_hungarian() -> None:
    view = keyboard(begun(drafted("garden-dice"), "blue"), Teller(load_game("garden-dice"), "hu"))
    letters = {tap.text for tap in (*view.letters, *view.signs)}
    assert set("aábcdeéfghiíjklmnoóöőpqrstuúüűvwxyz") <= letters
    assert view.title == "Kék, a neve:"


@games
def test_what_was_played_last_is_offered_with_the_names(name: str) -> None:
    chosen = replace(drafted(name), names={"blue": "Anna"})
    view = shown(chosen)
    assert view.begin is not None
    last = Last(Session.begin(load_game(name), view.begin.to.start), chosen.names)
    other = next(each for each in NAMES if each != name)
    offered = new_game(drafted(other), KITS, Teller(load_game(other), "en"), {name: last})
    own = next(tap.to for tap in offered.kits if tap.note and tap.to.kit.game == name)
    assert (own.sides, own.names) == (chosen.sides, {"blue": "Anna"})
