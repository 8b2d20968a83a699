"""Garden Guests by brute force: joined spaces by union-find, paths by trying line after line.

Positions and actions are the plain objects of the formats; a space is its id, such as `2,-2`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from random import Random
from typing import Any

Position = dict[str, Any]
Action = dict[str, Any]

FLOWERS = ("tulip", "rose", "daisy", "sunflower")
TEAMS = ("black", "gold", "teal")


# Reading a position


def option(position: Position, name: str, usual: Any) -> Any:
    return position.get("options", {}).get(name, usual)


def kind(position: Position, space: str) -> str:
    return str(position["board"][space]["kind"])


def touching(position: Position, one: str, other: str) -> bool:
    return other in position["board"][one].get("near", []) or one in position["board"][other].get("near", [])


def neighbours(position: Position) -> dict[str, set[str]]:
    near: dict[str, set[str]] = {space: set() for space in position["board"]}
    for space, facts in position["board"].items():
        for other in facts.get("near", []):
            near[space].add(other)
            near[other].add(space)
    return near


def pieces(position: Position, space: str) -> dict[str, Any]:
    return dict(position.get("spaces", {}).get(space, {}))


def is_stone(position: Position, space: str) -> bool:
    return bool(pieces(position, space).get("stone", False))


def is_colony(position: Position, space: str) -> bool:
    return bool(pieces(position, space)) and not is_stone(position, space)


def holder(position: Position, space: str) -> str | None:
    return pieces(position, space).get("team")


def is_safe(position: Position, space: str) -> bool:
    """path.safe, colony.home."""
    return bool(pieces(position, space).get("safe", False)) or kind(position, space) == "home"


def colonies(position: Position, team: str) -> list[str]:
    return sorted(s for s in position.get("spaces", {}) if is_colony(position, s) and holder(position, s) == team)


def team_of(position: Position, team: str) -> dict[str, Any]:
    (found,) = [facts for facts in position["teams"] if facts["team"] == team]
    return dict(found)


def hand(position: Position) -> int | None:
    """The number of cards of the player on turn; None where cards are not counted."""
    hands = team_of(position, position["turn"]["team"]).get("hands")
    return None if hands is None else hands[position["turn"].get("player", 0)]


# Joined spaces


def joined(position: Position, spaces: Iterable[str]) -> dict[str, str]:
    """Union-find: each of the spaces with the one that stands for its group."""
    leader = {space: space for space in spaces}

    def find(space: str) -> str:
        while leader[space] != space:
            space = leader[space]
        return space

    for one, other in combinations(list(leader), 2):
        if touching(position, one, other):
            leader[find(one)] = find(other)
    return {space: find(space) for space in leader}


def sides_meet(position: Position, team: str, spaces: set[str]) -> bool:
    """Whether some group of these spaces holds homes of the team on both of its sides."""
    group = joined(position, spaces)
    reach: list[set[str]] = [set(), set()]
    for space in spaces:
        facts = position["board"][space]
        if facts["kind"] == "home" and facts["team"] == team:
            reach[facts["side"]].add(group[space])
    return bool(reach[0] & reach[1])


def connected(position: Position, team: str) -> bool:
    """end.connected: own stones and colonies lead from a home colony of one side to one of the other."""
    return sides_meet(position, team, {s for s in position.get("spaces", {}) if holder(position, s) == team})


def passable(position: Position, team: str, space: str) -> bool:
    """end.eliminated: what a chain may still lead over."""
    facts, whose = position["board"][space], holder(position, space)
    match facts["kind"]:
        case "mushroom":
            return False
        case "home":
            return bool(facts["team"] == team)
        case "pedestal":
            return whose in (None, team) or not is_safe(position, space)
        case _:
            return whose in (None, team)


def can_still_connect(position: Position, team: str) -> bool:
    """end.eliminated, end.blocked."""
    return sides_meet(position, team, {space for space in position["board"] if passable(position, team, space)})


# Paths


def open_to_line(position: Position, team: str) -> dict[str, int]:
    """path.flowers-only, path.reuse: the spaces that a line may lead over, and what each costs."""
    price = {}
    for space in position["board"]:
        whose = holder(position, space)
        if kind(position, space) == "flower" and whose is None:
            price[space] = 1
        elif kind(position, space) == "flower" and whose == team and option(position, "path_reuse_own_stones", True):
            price[space] = 0
    return price


def is_line(position: Position, team: str, spaces: list[str]) -> bool:
    """path.ends, path.unbroken, path.flowers-only, path.reuse: whether these spaces can be a path."""
    price = open_to_line(position, team)
    if not spaces or len(set(spaces)) < len(spaces) or not all(space in price for space in spaces):
        return False
    steps = all(touching(position, *step) for step in pairwise(spaces))
    ends = any(
        touching(position, a, spaces[0]) and touching(position, b, spaces[-1])
        for a in colonies(position, team)
        for b in colonies(position, team)
        if a != b
    )
    return steps and ends and sum(price[space] for space in spaces) >= 1


def rest_at_least(near: dict[str, set[str]], price: dict[str, int], goals: set[str]) -> dict[str, int]:
    """For each space the least still to pay after it on the way to a goal: sweeps until nothing gets cheaper."""
    rest = dict.fromkeys(goals, 0)
    while True:
        cheaper = dict(rest)
        for space in price:
            for onward in near[space] & rest.keys():
                cheaper[space] = min(cheaper.get(space, 10**6), price[onward] + rest[onward])
        if cheaper == rest:
            return rest
        rest = cheaper


def fewest_new_stones(position: Position, team: str, a: str, b: str) -> int | None:
    """path.*: the least number of new stones (at least 1) on a line from colony to colony that visits no space twice.

    Tries all lines with at most 1 new stone, then with at most 2, and so on. Left aside: what cannot be finished at
    that price, or not without visiting a space twice.
    """
    near, price = neighbours(position), open_to_line(position, team)
    starts, goals = near[a] & price.keys(), near[b] & price.keys()
    rest = rest_at_least(near, price, goals)

    def can_finish(at: str, visited: frozenset[str]) -> bool:
        reached, grown = set[str](), {at}
        while grown != reached:
            reached = grown
            grown = reached | {n for s in reached for n in near[s] if n in price and n not in visited}
        return bool(reached & goals)

    def finishes(at: str, visited: frozenset[str], paid: int, most: int) -> bool:
        paid, visited = paid + price[at], visited | {at}
        if at not in rest or paid + rest[at] > most or not can_finish(at, visited):
            return False
        if at in goals and paid >= 1:
            return True
        return any(finishes(onward, visited, paid, most) for onward in near[at] & price.keys() - visited)

    for most in range(1, sum(price.values()) + 1):
        if any(finishes(start, frozenset(), 0, most) for start in starts):
            return most
    return None


# Legal actions


def colony_sizes(position: Position, at: str) -> range:
    """colony.*: the numbers of guests that the player on turn may build with."""
    team, cards = position["turn"]["team"], hand(position)
    most = team_of(position, team)["guests"]
    most = most if cards is None else min(most, cards)
    match kind(position, at):
        case "home":
            free = position["board"][at]["team"] == team and not pieces(position, at)
            return range(1, min(1, most) + 1) if free else range(0)
        case "pedestal" if not pieces(position, at):
            return range(1, most + 1)
        case "pedestal" if holder(position, at) != team and not is_safe(position, at):
            return range(pieces(position, at)["guests"] + 1, most + 1)
        case _:
            return range(0)


def passes(position: Position) -> list[Action]:
    """pass.teammate, pass.card, pass.enough; with cards not counted nothing says how many teammates there are."""
    facts, cards, me = team_of(position, position["turn"]["team"]), hand(position), position["turn"].get("player", 0)
    others = [to for to in range(len(facts.get("hands") or [])) if to != me]
    return [
        {"do": "pass", "card": card, "to": to}
        for card in sorted(facts["collection"])
        for to in others
        if cards is None or cards >= card
    ]


def legal(position: Position) -> dict[str, list[Action]]:
    """The object that `companion legal` prints."""
    if position.get("over", False):
        return {"actions": [], "paths": []}
    team, cards = position["turn"]["team"], hand(position)
    collects = [{"do": "collect", "card": card} for card in sorted(team_of(position, team)["collection"])]
    builds = [
        {"do": "colony", "at": at, "guests": guests}
        for at in sorted(position["board"])
        for guests in colony_sizes(position, at)
    ]
    paths = []
    for a, b in combinations(colonies(position, team), 2):
        new = fewest_new_stones(position, team, a, b)
        if new is not None and (cards is None or new <= cards):  # path.cards, path.complete
            paths.append({"ends": [a, b], "cards": new})
    return {"actions": [*collects, *builds, *passes(position)], "paths": paths}


# Positions to try


def random_position(random: Random) -> Position:
    """A position from the middle of a game on a small invented map, which nobody has won."""
    while True:
        position = deal(random)
        teams = [facts["team"] for facts in position["teams"]]
        alive = [team for team in teams if can_still_connect(position, team)]
        if any(connected(position, team) for team in teams) or len(alive) < (2 if len(teams) == 3 else 1):
            continue
        for facts in position["teams"]:
            facts["out"] = len(teams) == 3 and facts["team"] not in alive
        on_turn = random.choice([facts for facts in position["teams"] if not facts["out"]])
        player = random.randrange(len(on_turn["hands"]))
        position["turn"] = {"team": on_turn["team"], "player": player}
        position["next_player"][on_turn["team"]] = (player + 1) % len(on_turn["hands"])
        return position


def deal(random: Random) -> Position:
    teams = TEAMS[: random.choice((2, 3))]
    pairs, triples = [(1, 1), (2, 2), (3, 3)], [(1, 1, 1), (2, 2, 1), (2, 2, 2)]
    sizes: list[tuple[int, ...]] = [*(pairs if len(teams) == 2 else triples)]
    options: dict[str, Any] = {"touch_secures": False} if random.random() < 0.25 else {}
    options |= {"path_reuse_own_stones": False} if random.random() < 0.25 else {}
    position: Position = {
        "game": "garden-guests",
        "options": options,
        "board": random_board(random, teams, random.choice((2, 3, 3))),
        "teams": [],
        "spaces": {},
        "turn": {"team": teams[0], "player": 0},
        "next_player": {},
        "over": False,
        "winner": None,
    }
    settle(random, position, teams)
    for team, players in zip(teams, random.choice(sizes), strict=True):
        position["teams"].append(random_team(random, position, team, players))
        position["next_player"][team] = random.randrange(players)
    return position


def random_board(random: Random, teams: tuple[str, ...], radius: int) -> dict[str, Any]:
    """A hexagon; each team's homes are on two opposite edges, between the corners."""
    span = range(-radius, radius + 1)
    cubes = [(q, r, -q - r) for q in span for r in span if abs(q + r) <= radius]
    edges = [(0, 1), (1, 1), (2, 1), (0, -1), (1, -1), (2, -1)]
    board: dict[str, Any] = {}
    for cube in cubes:
        on = [edge for edge in edges if cube[edge[0]] == edge[1] * radius]
        facts: dict[str, Any] = {"kind": "flower", "flower": random.choice(FLOWERS)}
        if len(on) == 1 and on[0][0] < len(teams) and (radius < 3 or random.random() < 0.9):
            facts = {"kind": "home", "team": teams[on[0][0]], "side": 0 if on[0][1] > 0 else 1}
        elif random.random() < (0.4 if len(on) == 2 else 0.05):
            facts = {"kind": "mushroom"}
        elif random.random() < 0.2:
            facts["kind"] = "pedestal"
        near = [f"{q},{r}" for q, r, s in cubes if max(abs(q - cube[0]), abs(r - cube[1]), abs(s - cube[2])) == 1]
        board[f"{cube[0]},{cube[1]}"] = {**facts, "near": near}
    return board


def settle(random: Random, position: Position, teams: tuple[str, ...]) -> None:
    """Colonies, paths between them, and more colonies."""
    ends: set[str] = set()
    for _ in range(3):
        found_colonies(random, position, teams)
        for team in random.choices(teams, k=random.randint(0, 3)):
            own = colonies(position, team)
            if len(own) >= 2:
                a, b = random.sample(own, 2)
                line = random_line(random, position, team, a, b)
                position["spaces"] |= {space: {"team": team, "stone": True} for space in line}
                ends |= {a, b} if line else set()
                secure(position, ends)


def found_colonies(random: Random, position: Position, teams: tuple[str, ...]) -> None:
    for space, facts in position["board"].items():
        if pieces(position, space) or random.random() > 0.3:
            continue
        if facts["kind"] == "home":
            position["spaces"][space] = {"team": facts["team"], "guests": 1, "safe": True}
        elif facts["kind"] == "pedestal":
            team, guests = random.choice(teams), random.choice((1, 1, 2, 2, 3, 4))
            if guests_on_board(position, team) + guests <= 11:
                position["spaces"][space] = {"team": team, "guests": guests, "safe": False}
    secure(position, set())


def random_line(random: Random, position: Position, team: str, a: str, b: str) -> list[str]:
    """Wanders from one colony to the other; empty where it gets stuck."""
    price, line = open_to_line(position, team), list[str]()
    while not (line and touching(position, line[-1], b)):
        at = line[-1] if line else a
        onward = [s for s in price if touching(position, at, s) and s not in line]
        if not onward:
            return []
        line.append(random.choice(onward))
    return line if any(price[space] for space in line) else []


def secure(position: Position, ends: set[str]) -> None:
    """path.secure: by touch, or under the option only the ends of paths."""
    touch = option(position, "touch_secures", True)
    for space, facts in position["spaces"].items():
        if not facts.get("stone") and kind(position, space) == "pedestal":
            beside = any(
                is_stone(position, other) and other_team["team"] == facts["team"] and touching(position, space, other)
                for other, other_team in position["spaces"].items()
            )
            if space in ends or (touch and beside):
                facts |= {"safe": True, "guests": 1}


def guests_on_board(position: Position, team: str) -> int:
    return sum(facts["guests"] for facts in position["spaces"].values() if facts["team"] == team and "guests" in facts)


def random_team(random: Random, position: Position, team: str, players: int) -> dict[str, Any]:
    hands = [random.randint(0, random.choice((3, 9, 15))) for _ in range(players)]
    deck = random.randint(0, 52 - sum(hands))
    laid = sum(facts["team"] == team and "stone" in facts for facts in position["spaces"].values())
    return {
        "team": team,
        "collection": [random.choice((1, 4)), random.choice((2, 3))],
        "guests": 15 - guests_on_board(position, team),
        "stones": 35 - laid,
        "hands": hands,
        "deck": deck,
        "discards": 52 - sum(hands) - deck,
        "out": False,
    }
