"""The code against independent brute force (`tests/oracles`), on thousands of random positions."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import Any

import pytest

from companion.document import Field
from companion.games import load_game
from companion.games.garden_guests.endings import cut_off
from companion.rules import Allowed, Scored, State, Step, judge, objection
from tests.oracles import garden_dice as dice
from tests.oracles import garden_guests as guests
from tests.oracles import garden_rush as rush

Json = dict[str, Any]


def keys(actions: list[Json]) -> list[str]:
    return sorted(json.dumps(action, sort_keys=True) for action in actions)


def state_of(position: Json) -> State:
    game = load_game(position["game"])
    state = game.read_position(Field(position), None)
    assert game.faults(state) == []
    return state


def allowed(state: State, position: Json, document: Json) -> bool:
    game = load_game(position["game"])
    action = game.read_action(Field(document), state)
    return objection(game.rules[type(action)], state, action) is None


# Garden Dice


@pytest.mark.parametrize("block", range(10))
def test_garden_dice_legal_actions(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        position = dice.random_position(Random(seed))
        listed = load_game("garden-dice").legal(state_of(position))["actions"]
        assert keys(listed) == keys(dice.legal(position)), f"seed {seed}"


def conceivable(random: Random, dice_left: list[int], board: Json) -> Json:
    """Any action of a Garden Dice turn, however senseless; dice and plots mostly such as are there."""
    plot = random.choice([*board, f"{random.randint(1, 6)},{random.randint(1, 6)}"])
    anywhere = f"{random.randint(1, 6)},{random.randint(1, 6)}"
    chosen = [random.choice([*dice_left, random.randint(1, 6)]) for _ in range(3)]
    become = {"as": [random.randint(1, 6), random.randint(1, 6)]} if random.random() < 0.4 else {}
    eat = random.choice([{}, {"eat": "swallow"}, {"eat": "spit", "spit_die": chosen[1]}])
    piece = random.choice([*dice.KINDS, "bird", "sundial", "rock", "rabbit", "scarecrow"])
    named = "{},{}".format(*random.sample(become.get("as", chosen[:2]), 2))
    return random.choice(
        [
            {"do": "buy", "kind": random.choice(dice.KINDS), "die": chosen[0]},
            {"do": "place", "piece": piece, "at": random.choice([named, anywhere]), "dice": chosen[:2], **become},
            {"do": random.choice(["water", "harvest", "flip"]), "at": plot, "die": chosen[0]},
            {"do": "move", "from": plot, "to": random.choice([*board, anywhere]), "die": chosen[0], **eat},
            {"do": "remove", "at": plot, "dice": [*chosen[:2], 6], **become},
        ]
    )


def plain(action: Json) -> str:
    """An action without what may be written in more than one way: the order of coordinates and their `as`."""
    written = {k: v for k, v in action.items() if k != "as"}
    if action["do"] in ("place", "remove"):
        written["dice"] = sorted(action["dice"][:2])
    return json.dumps(written, sort_keys=True)


def test_garden_dice_allows_just_what_it_lists() -> None:
    """Of 60,000 conceivable actions judge allows those in the list, whichever way they are written."""
    seen = {True: 0, False: 0}
    for seed in range(200):
        random = Random(seed)
        position = dice.random_position(random)
        state = state_of(position)
        listed = {plain(action) for action in load_game("garden-dice").legal(state)["actions"]}
        for _ in range(300):
            document = conceivable(random, position["turn"].get("dice", []), position["board"])
            verdict = allowed(state, position, document)
            seen[verdict] += 1
            if verdict or "as" not in document:
                direct = verdict or plain(document) not in listed or needs_sundial(document)
                assert direct and (not verdict or plain(document) in listed), (seed, document)
    assert min(seen.values()) > 500, seen


def needs_sundial(document: Json) -> bool:
    """Whether the dice as they lie do not name the plot, so that only another `as` could be listed."""
    if document["do"] not in ("place", "remove"):
        return False
    return sorted(document["dice"][:2]) != sorted(map(int, document["at"].split(",")))


def test_garden_dice_chains_and_their_points() -> None:
    """The chain that a tile begins, and what a harvest gives to whom: 3,000 random positions."""
    game, chains = load_game("garden-dice"), 0
    for seed in range(3000):
        position = dice.random_position(Random(seed))
        colour = position["turn"]["player"]
        position["turn"] |= {"rolled": True, "dice": [6], "spent": [], "sun_die": None}
        state = state_of(position)
        for at, tile in position["board"].items():
            side = tile["piece"].partition("/")[2]
            if side and tile["owner"] == colour:
                do = "water" if side == "seed" else "harvest"
                ruling = judge(game, state, game.read_action(Field({"do": do, "at": at, "die": 6}), state))
                assert isinstance(ruling, Allowed)
                assert {e.at for e in ruling.events if isinstance(e, Step)} == dice.chain(position, at, side)
                points: dict[str, int] = {}
                for event in ruling.events:
                    if isinstance(event, Scored):
                        points[event.player] = points.get(event.player, 0) + event.points
                assert points == (dice.harvest_points(position, at) if do == "harvest" else {})
                chains += 1
    assert chains > 5000


def test_garden_dice_final_scores() -> None:
    for seed in range(2000):
        position = dice.random_position(Random(seed))
        assert load_game("garden-dice").score(state_of(position)) == dice.final_score(position), f"seed {seed}"


def test_garden_dice_splits_into_sets_and_collections() -> None:
    """Every way to hold up to four tiles of each kind, and random larger hands."""
    game, random = load_game("garden-dice"), Random(9)
    hands = [*product(range(5), repeat=5), *(tuple(random.randint(0, 10) for _ in range(5)) for _ in range(300))]
    for hand, overlap, over_five in ((h, o, f) for h in hands for o in (True, False) for f in ("best-split", "cap")):
        harvested = [kind for kind, held in zip(dice.KINDS, hand, strict=True) for _ in range(held)]
        position = {
            "game": "garden-dice",
            "options": {"set_collection_overlap": overlap, "collections_over_five": over_five},
            "players": [{"colour": "blue", "harvested": harvested}],
        }
        score = game.score(game.read_position(Field(position), None))["players"][0]
        assert (score["sets"], score["collections"]) == dice.splits(hand, overlap, over_five), (
            hand,
            overlap,
            over_five,
        )


# Garden Rush


@pytest.mark.parametrize("block", range(10))
def test_garden_rush_legal_actions(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        position = rush.random_position(Random(seed))
        listed = load_game("garden-rush").legal(state_of(position))["actions"]
        assert keys(listed) == keys(rush.legal(position)), f"seed {seed}"


def test_garden_rush_beds() -> None:
    """The beds of both gardens, 1,000 random positions: the player on turn is whoever owns the garden."""
    game, found = load_game("garden-rush"), 0
    for seed in range(500):
        position = rush.random_position(Random(seed))
        for colour in ("pink", "blue"):
            position |= {"turn": {"player": colour}, "final_turn": False}
            actions = game.legal(state_of(position))["actions"]
            beds = {frozenset(action["cells"]) for action in actions if action["do"] == "harvest"}
            assert beds == set(rush.beds(position, colour)), f"seed {seed}"
            found += len(beds)
    assert found > 2000


# Garden Guests


@pytest.mark.parametrize("block", range(10))
def test_garden_guests_legal_actions_and_paths(block: int) -> None:
    for seed in range(block * 100, block * 100 + 100):
        position = guests.random_position(Random(seed))
        listed, expected = load_game("garden-guests").legal(state_of(position)), guests.legal(position)
        assert keys(listed["actions"]) == keys(expected["actions"]), f"seed {seed}"
        assert keys(listed["paths"]) == keys(expected["paths"]), f"seed {seed}"


def test_garden_guests_who_is_connected_and_who_is_cut_off() -> None:
    for seed in range(1000):
        position = guests.random_position(Random(seed))
        state = state_of(position)
        for team in load_game("garden-guests").score(state)["teams"]:
            assert team["connected"] == guests.connected(position, team["team"]), f"seed {seed}"
            lost = bool(cut_off(state, [team["team"]]))
            assert lost != guests.can_still_connect(position, team["team"]), f"seed {seed}"
