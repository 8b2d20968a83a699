"""Garden Rush by brute force: beds by trying every set of cells, the refill token by token.

Positions and actions are the plain objects of the formats; a cell is its id, such as `3,4`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple

Position = dict[str, Any]
Action = dict[str, Any]
Shape = tuple[tuple[int, int], ...]

VEGGIES = ("carrot", "eggplant", "tomato", "broccoli", "potato")
TOOLS = ("trowel", "weedkiller", "hose", "toolbox")
BONUSES = ("place", "harvest", "move", "flip")
CORNERS = {"1,1", "1,5", "5,1", "5,5"}
CELLS = tuple(f"{r},{c}" for r in range(1, 6) for c in range(1, 6) if f"{r},{c}" not in CORNERS)


# Reading a position


def option(position: Position, name: str, usual: Any) -> Any:
    return position.get("options", {}).get(name, usual)


def opponent(colour: str) -> str:
    return {"pink": "blue", "blue": "pink"}[colour]


def garden(position: Position, colour: str) -> dict[str, str]:
    return dict(next(p.get("garden", {}) for p in position["players"] if p["colour"] == colour))


def cells(position: Position, colour: str) -> tuple[str, ...]:
    """The cells of a garden: one list for both, or one for each."""
    listed = position.get("board", {}).get("cells", CELLS)
    return tuple(listed[colour] if isinstance(listed, dict) else listed)


def tool_spaces(position: Position, colour: str) -> set[str] | None:
    """None where the garden's tools are not entered."""
    entered = position.get("board", {}).get("tools", {}).get(colour)
    return None if entered is None else set(entered)


# Beds


def normal(points: Iterable[tuple[int, int]], mirror: bool) -> Shape:
    """One picture for all that are the same when slid and turned, with `mirror` also when turned over."""
    pictures = []
    for over, turns in product((False, True) if mirror else (False,), range(4)):
        seen = [(r, -c) if over else (r, c) for r, c in points]
        for _ in range(turns):
            seen = [(c, -r) for r, c in seen]
        top, left = min(r for r, _ in seen), min(c for _, c in seen)
        pictures.append(tuple(sorted((r - top, c - left) for r, c in seen)))
    return min(pictures)


def as_owner_sees(cell: str, colour: str) -> tuple[int, int]:
    """harvest.pattern: rows away from the hedge, columns to the owner's right, which fall in number for blue."""
    row, column = (int(part) for part in cell.split(","))
    return (row, column if colour == "pink" else 6 - column)


def beds(position: Position, colour: str) -> set[frozenset[str]]:
    """harvest.kind, harvest.pattern: every set of cells that can be harvested by the shapes that are entered."""
    mirror = bool(option(position, "mirror", False))
    found = set()
    for veggie in VEGGIES:
        shapes = position.get("board", {}).get("patterns", {}).get(veggie) or []
        wanted = {normal([(r, c) for r, c in shape], mirror) for shape in shapes if shape}
        grown = sorted(cell for cell, token in garden(position, colour).items() if token.split("/")[0] == veggie)
        for size in {len(shape) for shape in wanted}:
            for bed in combinations(grown, size):
                if normal([as_owner_sees(cell, colour) for cell in bed], mirror) in wanted:
                    found.add(frozenset(bed))
    return found


# Legal actions


def empty(position: Position, colour: str) -> list[str]:
    return [cell for cell in cells(position, colour) if cell not in garden(position, colour)]


def off_tools(position: Position, colour: str, cell: str) -> bool:
    """tool.place, tool.mole: known not to be a tool space."""
    spaces = tool_spaces(position, colour)
    return spaces is not None and cell not in spaces


def placings(position: Position) -> Iterator[Action]:
    me = position["turn"]["player"]
    for column, token in enumerate(position["hedge"], start=1):
        if token is None:  # place.hedge
            continue
        for to in empty(position, me):  # place.empty
            if token in VEGGIES or off_tools(position, me, to):
                yield {"do": "place", "from": column, "to": to}
        for to in empty(position, opponent(me)):
            if token in TOOLS and off_tools(position, opponent(me), to):
                yield {"do": "mole", "from": column, "to": to}


def legal(position: Position) -> list[Action]:
    """turn.one: every place, mole and harvest, without bonus or draw."""
    if position.get("over", False):
        return []
    harvests = sorted(sorted(bed) for bed in beds(position, position["turn"]["player"]))
    return [*placings(position), *({"do": "harvest", "cells": bed} for bed in harvests)]


# The refill


class Refilled(NamedTuple):
    """Hedge and trampoline afterwards, how many were drawn, and whether end.sack is triggered."""

    hedge: tuple[str | None, ...]
    trampoline: str | None
    drawn: int
    ended: bool


def refill(
    hedge: Sequence[str | None],
    trampoline: str | None,
    sack_total: int,
    arrow: int,
    draws: Sequence[str],
    empty_sack: str = "freeze",
) -> Refilled:
    """place.resupply, end.sack: one lane with the trampoline behind the arrow end, tokens pushed along it one by one.

    Raises ValueError where more draws are needed than given.
    """
    lane = list(hedge) if arrow == 5 else list(reversed(hedge))  # the arrow end last
    drawn, ended = 0, False
    while None in lane:
        if drawn == sack_total:
            ended = True
            if empty_sack == "push":
                lane = settle([*lane, trampoline])
                lane, trampoline = lane[:5], lane[5]
            break
        lane = settle(lane)
        lane[lane.index(None)] = trampoline
        if drawn == len(draws):
            raise ValueError("too few draws")
        trampoline, drawn = draws[drawn], drawn + 1
    # settle() has been done whenever one was drawn, so that gaps that are left stand at the arrow
    return Refilled(tuple(lane if arrow == 5 else reversed(lane)), trampoline, drawn, ended)


def settle(lane: Sequence[str | None]) -> list[str | None]:
    """Each token with a gap before it slides one space, until none has."""
    lane = list(lane)
    while True:
        loose = [i for i in range(1, len(lane)) if lane[i] is not None and lane[i - 1] is None]
        if not loose:
            return lane
        lane[loose[0] - 1], lane[loose[0]] = lane[loose[0]], None


# Positions to try


def random_position(random: Random) -> Position:
    """A position from the middle of some game with all its tokens, on an invented board with everything entered."""
    tools = random.random() < 0.6
    options: dict[str, Any] = {"tools": True} if tools else {}
    options |= {"mirror": True} if random.random() < 0.4 else {}
    options |= {"empty_sack": "push"} if random.random() < 0.3 else {}
    options |= {"stuck": random.choice(("lose", "pass"))} if random.random() < 0.3 else {}
    board = random_board(random)
    bag = random.sample(VEGGIES * 12, 60)
    hedge: list[str | None] = [bag.pop() for _ in range(5)]
    trampoline: str | None = bag.pop()
    if tools:
        bag = random.sample([*bag, *TOOLS, *TOOLS], len(bag) + 8)
        hedge = [swap_with(random, bag, token) for token in hedge]
    players: list[dict[str, Any]] = [{"colour": colour} for colour in random.sample(("pink", "blue"), 2)]
    for player, score in zip(players, random_scores(random), strict=True):
        player |= {"score": score, "garden": random_garden(random, bag, board["tools"][player["colour"]])}
    turn, final = random.choice(players)["colour"], False
    sack, discards = split_bag(random, bag)
    if random.random() < 0.15:  # the last turn, by the score or by the sack
        turn, final = players[1]["colour"], True
        if random.random() < 0.5:
            players[0]["score"] = random.randint(40, 48)
        else:
            sack, discards = run_out(random, sack, discards)
            hedge, trampoline = with_a_gap(random, hedge, trampoline, board["arrow"], "empty_sack" in options)
    return {
        "game": "garden-rush",
        "options": options,
        "board": board,
        "players": players,
        "hedge": hedge,
        "trampoline": trampoline,
        "sack": dict(Counter(sack)),
        "discards": discards,
        "turn": {"player": turn},
        "final_turn": final,
        "over": False,
    }


def random_board(random: Random) -> dict[str, Any]:
    usual = ("2,2", "2,4", "4,2", "4,4")
    spaces = {colour: usual if random.random() < 0.6 else random.sample(CELLS, 4) for colour in ("pink", "blue")}
    return {
        "tools": {colour: dict(zip(random.sample(list(at), 4), BONUSES, strict=True)) for colour, at in spaces.items()},
        "bonus_spaces": sorted(random.sample(range(1, 45), random.randint(4, 12))),
        "patterns": {veggie: [random_shape(random) for _ in range(random.randint(1, 3))] for veggie in VEGGIES},
        "arrow": random.choice((1, 5)),
    }


def random_shape(random: Random) -> list[list[int]]:
    """One to five cells of a small grid, now and then with gaps, so that some do occur."""
    rows, columns = random.choice(((1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (1, 5)))
    grid = [[r, c] for r in range(rows) for c in range(columns)]
    return sorted(random.sample(grid, random.randint(1, min(5, len(grid)))))


def random_scores(random: Random) -> tuple[int, int]:
    first, second = random.sample(range(40), 2)
    return (0, 0) if random.random() < 0.1 else (first, second)


def random_garden(random: Random, bag: list[str], tools: dict[str, str]) -> dict[str, str]:
    """Fills some cells out of the bag; tools and moles stay off the tool spaces, favourites make for beds."""
    filled = {}
    density = random.choice((0.3, 0.6, 0.8, 0.95, 1.0))
    favourites = random.sample(VEGGIES, random.randint(1, 5))
    for cell in random.sample(CELLS, len(CELLS)):
        if random.random() > density or not bag:
            continue
        fit = [t for t in bag if t in VEGGIES and (t in favourites or random.random() < 0.1)]
        if cell not in tools and random.random() < 0.2:
            fit = [t for t in bag if t in TOOLS] or fit
        if fit:
            token = random.choice(fit)
            bag.remove(token)
            filled[cell] = f"{token}/{random.choice(('double', 'single'))}" if token in VEGGIES else token
            if token in TOOLS and random.random() < 0.5:
                filled[cell] = "mole"
    return dict(sorted(filled.items()))


def swap_with(random: Random, bag: list[str], token: str | None) -> str | None:
    if random.random() < 0.5 or token is None:
        return token
    bag.append(token)
    return bag.pop(random.randrange(len(bag)))


def split_bag(random: Random, bag: list[str]) -> tuple[list[str], list[str]]:
    """What is left in the sack, and what was discarded: veggies only."""
    share = random.uniform(0, 0.6)
    discards = [token for token in bag if token in VEGGIES and random.random() < share]
    sack = list((Counter(bag) - Counter(discards)).elements())
    return sack, discards


def run_out(random: Random, sack: list[str], discards: list[str]) -> tuple[list[str], list[str]]:
    """An empty sack; the tools that it held are left out, since a position may hold fewer pieces than the box."""
    return [], [*discards, *(token for token in sack if token in VEGGIES)]


def with_a_gap(
    random: Random, hedge: list[str | None], trampoline: str | None, arrow: int, push: bool
) -> tuple[list[str | None], str | None]:
    """Hedge and trampoline after a placing with the sack empty; the token taken is not kept."""
    hedge = list(hedge)
    hedge[random.randrange(5)] = None
    after = refill(hedge, trampoline, 0, arrow, (), "push" if push else "freeze")
    return list(after.hedge), after.trampoline
