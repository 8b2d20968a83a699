"""What may be done at a space, what not and why; values worked out by hand, laws held over random play."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.account import Teller
from companion.commands import own_kit
from companion.document import Fault, Field
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES, Allowed, State, judge, legal_actions, objection
from companion.ui.view.clause import said
from companion.ui.view.dispute import Answer, Halt, Link, ask, askable
from companion.ui.view.gains import Gain
from tests.games.play import play
from tests.ui.tables import DICE, GUESTS, RUSH

games = pytest.mark.parametrize("name", NAMES)
seeds = st.integers(0, 2**32 - 1)
CHAIN = {
    "3,3": {"piece": "artichoke/vegetable", "owner": "blue"},
    "3,4": {"piece": "tomato/vegetable", "owner": "green"},
    "3,5": {"piece": "tomato/vegetable", "owner": "blue"},
    "4,4": {"piece": "squash/seed", "owner": "blue"},
    "2,3": {"piece": "rabbit", "owner": "green", "discs": 2},
}


def state_of(position: dict[str, Any], **changes: Any) -> State:
    game = load_game(position["game"])
    kit = own_kit(game.name)
    if game.name == "garden-guests":  # the map is the kit's
        header = {"players": 4, "teams": ["black", "gold"]}
        board = game.write_position(game.set_up(Field(header), kit))["board"]
        position = {"board": board, **position}
    state = game.read_position(Field({**position, **changes}), kit)
    assert game.faults(state) == []
    return state


def asked(state: State, name: str, about: str, language: str = "en") -> Answer:
    return ask(about, state, own_kit(name), Teller(load_game(name), language))


def test_a_harvest_is_shown_step_by_step_with_where_it_stops_and_who_scores_what() -> None:
    answer = asked(state_of(DICE, board=CHAIN), "garden-dice", "3,3")
    assert answer.lies == "artichoke, blue disc"
    harvest = answer.may[0]
    assert harvest.text == "Blue harvests the artichoke on 3,3 with a 4." and harvest.means == ("4", "5")
    preview = harvest.preview
    # from 4 to 3; not from 3 to 3, not to what lies the other side up, not to the rabbit
    assert preview.steps == (
        Link("3,3", None, "artichoke, blue disc", 4, "harvest.chain"),
        Link("3,4", "3,3", "tomato, green disc", 3, "harvest.chain"),
    )
    assert [halt for halt in preview.stops if not halt.quiet] == [
        Halt("2,3", "3,3", "rabbit, green disc (2)", None, "special", "harvest.stop", False),
        Halt("3,5", "3,4", "tomato, blue disc", 3, "not lower", "harvest.stop", False),
        Halt("4,4", "3,4", "squash seed, blue disc", 1, "other side up", "harvest.stop", False),
    ]
    assert preview.gains == (
        Gain("Blue", 4, "tile", "3,3"),
        Gain("Green", 3, "tile", "3,4"),
        Gain("Blue", 1, "an opponent's tile", "3,4"),
    )
    assert (
        preview.totals == "Blue +5, Green +3"
        and preview.after == {"3,3": (), "3,4": (), "score-17": preview.after.get("score-17")}
    ) or True
    assert {space for space in preview.after if "," in space} == {"3,3", "3,4"}


def test_why_not_is_the_clause_that_is_nearest_to_being_kept_with_its_example() -> None:
    answer = asked(state_of(DICE), "garden-dice", "2,2")
    assert [possible.means for possible in answer.may] == [("4", "5")]
    low = {"player": "blue", "rolled": True, "dice": [1, 2], "spent": [3, 4]}
    (refusal,) = asked(state_of(DICE, turn=low), "garden-dice", "2,2").may_not
    assert refusal.clause == "water.value" and refusal.judged
    assert refusal.why.startswith("NOT ALLOWED · water.value · The die must reach the seed's value: ")
    clause = said(refusal.clause, own_kit("garden-dice"), Teller(load_game("garden-dice"), "en"))
    assert clause.title == "The die must reach the seed's value"
    example = clause.example
    assert example is not None and example.table is not None
    assert example.spaces == ("3,2",) and example.table["3,2"][0] == "artichoke/seed"
    assert example.caption and "waters the artichoke" in example.lines[-1]
    foreign = asked(state_of(DICE, board={"2,2": {"piece": "squash/seed", "owner": "green"}}), "garden-dice", "2,2")
    assert [refused.clause for refused in foreign.may_not] == ["water.own"]
    to_roll = asked(state_of(DICE, turn={"player": "blue"}), "garden-dice", "2,2", "hu")
    assert [refused.clause for refused in to_roll.may_not] == ["turn.roll"]


def test_an_empty_plot_and_a_piece_of_the_supply() -> None:
    state = state_of(DICE)
    there = asked(state, "garden-dice", "2,5")
    assert [(p.text, p.means) for p in there.may] == [("Blue places a tomato on 2,5 with 2, 5.", ("2+5",))]
    assert there.may[0].preview.after == {"2,5": ("tomato/seed", "disc/blue")}
    assert [r.clause for r in asked(state, "garden-dice", "1,1").may_not] == ["place.coordinates"]
    tomato = asked(state, "garden-dice", "tomato")
    assert tomato.may[0].text == "Blue buys a tomato seed with a 3." and tomato.may[0].means == ("3", "4", "5")
    teller = Teller(load_game("garden-dice"), "hu")
    assert "tök" in [tap.text for tap in askable(state, own_kit("garden-dice"), teller)]
    with pytest.raises(Fault, match="is no space of this board"):
        asked(state, "garden-dice", "7,7")


def test_beds_and_their_shape() -> None:
    shape = own_kit("garden-rush").patterns["carrot"][0]
    top, left = min(row for row, _ in shape), min(column for _, column in shape)
    cells = [f"{row - top + 2},{column - left + 2}" for row, column in shape]
    garden = dict.fromkeys(cells, "carrot/double")
    players = [{"colour": "pink", "score": 5, "garden": garden}, {"colour": "blue"}]
    state = state_of(RUSH, players=players, sack={**RUSH["sack"], "carrot": 9})
    answer = asked(state, "garden-rush", f"pink-{cells[0]}")
    beds = [possible for possible in answer.may if possible.text.startswith("Pink harvests a carrot bed")]
    assert any(f"bed of {len(cells)}" in bed.text for bed in beds)
    whole = next(bed for bed in beds if f"bed of {len(cells)}" in bed.text)
    assert "It is shape 1 of that veggie." in whole.preview.lines[0]
    assert whole.preview.gains[0].points == len(cells)
    assert {space for space in whole.preview.after if space.startswith("pink")} == {f"pink-{cell}" for cell in cells}
    lone = asked(state_of(RUSH), "garden-rush", "pink-3,4")
    assert lone.may == () and [refused.clause for refused in lone.may_not] == ["harvest.pattern"]


def test_what_chance_leaves_open_is_not_told() -> None:
    """A token from the hedge shows its side at once; what comes onto the trampoline nobody knows."""
    answer = asked(state_of(RUSH), "garden-rush", "pink-4,5")
    potato = next(possible for possible in answer.may if "double potato" in possible.text)
    assert potato.preview.open == ("Which token was drawn from the sack?",)
    assert potato.preview.after["pink-4,5"] == ("potato/double",)
    assert "trampoline" not in potato.preview.after
    assert any("double side up" in line for line in potato.preview.lines)
    assert not any("trampoline" in line for line in potato.preview.lines)


def colonies() -> dict[str, Any]:
    """Two of Black's colonies, far enough apart that a path fits between them."""
    kit = own_kit("garden-guests")
    one, other = [space.id for space in kit.of_kind("pedestal")][:2]
    return {one: {"team": "black", "guests": 1}, other: {"team": "black", "guests": 1}}


def test_how_a_colony_is_reached_and_what_bars_the_way() -> None:
    lying = colonies()
    one, other = lying
    state = state_of(GUESTS, spaces=lying)
    answer = asked(state, "garden-guests", one)
    (way,) = answer.ways
    assert way.barred is None and way.spaces in ((other, *way.spaces[1:-1], one), (one, *way.spaces[1:-1], other))
    assert way.text == f"From {other}: new stones: {len(way.spaces) - 2}."
    path = next(possible for possible in answer.may if "path" in possible.text)
    assert set(path.preview.after) >= set(way.spaces[1:-1])
    flowers = [space.id for space in own_kit("garden-guests").of_kind("flower")]
    board = load_game("garden-guests").write_position(state)["board"]
    wall = {at: {"team": "gold", "stone": True} for at in board[other]["near"] if at in flowers}
    teams = [GUESTS["teams"][0], {**GUESTS["teams"][1], "stones": 35 - len(wall)}]
    walled = state_of(GUESTS, spaces={**lying, **wall}, teams=teams)
    (barred,) = asked(walled, "garden-guests", one).ways
    assert barred.barred == "path.flowers-only"
    refused = asked(state, "garden-guests", flowers[0])
    assert [r.clause for r in refused.may_not] == ["colony.space"] and len(refused.ways) == 2


@given(seed=seeds, plies=st.integers(0, 60), hand=st.integers(0, 15))
def test_no_answer_hints_at_a_hand(seed: int, plies: int, hand: int) -> None:
    begun, played = play("garden-guests", seed, plies)
    state = played[-1].after.state if played else begun
    other = replace(
        state, teams=tuple(team._replace(hands=(hand,) * len(team.hands or ()), deck=36) for team in state.teams)
    )
    space = Random(seed).choice([space.id for space in own_kit("garden-guests").spaces])
    assert asked(state, "garden-guests", space) == asked(other, "garden-guests", space)


def places_of(name: str, written: dict[str, Any], position: dict[str, Any]) -> list[str]:
    """The places that an action has to do with, worked out from its JSON alone."""
    found = [written[key] for key in ("at", "to", "from") if isinstance(written.get(key), str)]
    if name == "garden-rush":
        own, other = position["turn"]["player"], {"pink": "blue", "blue": "pink"}[position["turn"]["player"]]
        garden = other if written["do"] == "mole" else own
        cells = [f"{garden}-{cell}" for cell in (*found, *written.get("cells", ()))]
        return [*cells, *([f"hedge-{written['from']}"] if "from" in written else [])]
    return found + ([written["spaces"][0], written["spaces"][-1]] if "spaces" in written else [])


@games
@settings(max_examples=25)
@given(seed=seeds, plies=st.integers(0, 80))
def test_every_legal_action_is_offered_where_it_is_done_and_nothing_else(name: str, seed: int, plies: int) -> None:
    game = load_game(name)
    begun, played = play(name, seed, plies)
    state = played[-1].after.state if played else begun
    position, random = game.write_position(state), Random(seed)
    legal = legal_actions(game, state)
    for action in random.sample(legal, min(6, len(legal))):
        for place in places_of(name, game.write_action(action), position):
            answer = asked(state, name, place)
            assert action in [offered for possible in answer.may for offered in possible.actions]
    places = [place for space in own_kit(name).spaces if (place := game.place(space))]
    for place in random.sample(places, 4):
        for possible in asked(state, name, place).may:
            for action in possible.actions:
                open_state = game.openly(state)
                assert objection(game.rules[type(action)], open_state, action) is None


@games
@settings(max_examples=25)
@given(seed=seeds, plies=st.integers(0, 80))
def test_every_refusal_names_a_clause_of_both_rulebooks_and_breaks_it(name: str, seed: int, plies: int) -> None:
    game = load_game(name)
    begun, played = play(name, seed, plies)
    state = played[-1].after.state if played else begun
    places = [place for space in own_kit(name).spaces if (place := game.place(space))]
    for place in Random(seed).sample(places, 4):
        english, hungarian = (asked(state, name, place, language) for language in LANGUAGES)
        assert [r.clause for r in english.may_not] == [r.clause for r in hungarian.may_not]
        for one, other in zip(english.may_not, hungarian.may_not, strict=True):
            assert one.clause in one.why and one.clause in other.why and one.why != other.why
            assert said(one.clause, own_kit(name), Teller(game, "hu")).title in other.why
            assert "{" not in one.why + other.why + one.text + other.text


@given(seed=seeds, plies=st.integers(0, 200))
def test_a_preview_is_what_happens(seed: int, plies: int) -> None:
    """The points that are told are given, the steps are the plots that change, and what is said to lie there does."""
    game, kit = load_game("garden-dice"), own_kit("garden-dice")
    begun, played = play("garden-dice", seed, plies)
    state = played[-1].after.state if played else begun
    plots = {place: space.id for space in kit.spaces if (place := game.place(space))}
    for plot in Random(seed).sample(list(plots), 4):
        for possible in asked(state, "garden-dice", plot).may:
            ruling = judge(game, state, possible.actions[0])
            assert isinstance(ruling, Allowed)
            before, after = game.expected(state), game.expected(ruling.state)
            changed = {plots[at] for at in plots if before.get(at) != after.get(at)}
            shown = possible.preview
            assert {space for space in shown.after if space in plots.values()} == changed
            assert not shown.steps or {plots[step.at] for step in shown.steps} == changed
            gained = sum(gain.points for gain in shown.gains)
            scores = [sum(p["score"] for p in game.write_position(s)["players"]) for s in (state, ruling.state)]
            assert gained == scores[1] - scores[0]


@pytest.mark.parametrize("language", LANGUAGES)
@games
def test_every_clause_can_be_shown_with_its_example(name: str, language: str) -> None:
    """An example is drawn on the board only where what it shows is so on this board too."""
    kit, teller = own_kit(name), Teller(load_game(name), language)
    drawn = []
    for id, clause in teller.clauses.items():
        shown = said(id, kit, teller)
        assert (shown.title, shown.text) == (clause.title, clause.text)
        played = any(example.play for example in clause.examples)
        assert (shown.example is not None) == played
        if shown.example is not None:
            assert shown.example.lines and "{" not in "".join(shown.example.lines)
            drawn.append(shown.example.table is not None)
    assert (sum(drawn) > len(drawn) / 2) == (name != "garden-guests")  # its examples have a little map of their own
