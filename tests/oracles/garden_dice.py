"""Garden Dice by brute force: chains as fixpoints, splits by trying them all, legal actions by trying every one.

Positions and actions are the plain objects of the formats; a plot is its id, such as `3,5`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Any

Position = dict[str, Any]
Action = dict[str, Any]

VALUES = {"squash": 1, "carrot": 2, "tomato": 3, "artichoke": 4, "eggplant": 5}
KINDS = tuple(VALUES)
COLOURS = ("blue", "yellow", "green", "red")
FACES = range(1, 7)
PLOTS = tuple(f"{row},{column}" for row in FACES for column in FACES)
STARS = ("4,6", "5,5", "5,6", "6,4", "6,5", "6,6")
CRITTERS = ("bird", "rabbit")
SPECIALS = ("bird", "rabbit", "sundial", "scarecrow")
DEFAULTS: dict[str, Any] = {
    "must_spend": "enforce",
    "spit_counts_as_buy": False,
    "critter_diagonal": False,
    "sun_six": True,
    "sundial_wrap": False,
    "collections_over_five": "best-split",
    "set_collection_overlap": True,
    "tie_break": "harvest-value",
    "family": False,
}

# Reading a position


def option(position: Position, name: str) -> Any:
    return position.get("options", {}).get(name, DEFAULTS[name])


def turn(position: Position, name: str) -> list[Any]:
    return list(position["turn"].get(name, []))


def mover(position: Position) -> str:
    return str(position["turn"]["player"])


def seat(position: Position, colour: str) -> dict[str, Any]:
    (found,) = [player for player in position["players"] if player["colour"] == colour]
    return dict(found)


def piece(position: Position, plot: str) -> str | None:
    tile = position.get("board", {}).get(plot)
    return None if tile is None else str(tile["piece"])


def owner(position: Position, plot: str) -> str | None:
    colour = position.get("board", {}).get(plot, {}).get("owner")
    return None if colour is None else str(colour)


def growth(position: Position, plot: str) -> tuple[str, str] | None:
    """Kind and side of the seed or vegetable on a plot."""
    kind, slash, side = (piece(position, plot) or "").partition("/")
    return (kind, side) if slash else None


def where(plot: str) -> tuple[int, int]:
    row, column = plot.split(",")
    return int(row), int(column)


def free_discs(position: Position, colour: str) -> int:
    """Eight, less one for each seed in front and the discs on the board."""
    lying = sum(tile.get("discs", 1) for tile in position.get("board", {}).values() if tile.get("owner") == colour)
    return 8 - len(seat(position, colour).get("seeds", [])) - int(lying)


def taken_from(dice: Sequence[int], wanted: Sequence[int]) -> bool:
    """turn.die-once: the wanted dice lie among these."""
    return not Counter(wanted) - Counter(dice)


@cache
def side_by_side(one: str, other: str) -> bool:
    (a, b), (c, d) = where(one), where(other)
    return abs(a - c) + abs(b - d) == 1


@cache
def around(one: str, other: str) -> bool:
    """Whether the other is one of the eight plots around."""
    (a, b), (c, d) = where(one), where(other)
    return max(abs(a - c), abs(b - d)) == 1


def guarded(position: Position, plot: str) -> bool:
    """harvest.scarecrow, move.scarecrow: the tile's owner has a scarecrow on one of the plots around."""
    scarecrows = [other for other in position.get("board", {}) if piece(position, other) == "scarecrow"]
    return any(around(plot, other) and owner(position, other) == owner(position, plot) for other in scarecrows)


# Chains


def chain(position: Position, at: str, kind: str) -> frozenset[str]:
    """water.chain (kind "seed"), harvest.chain ("vegetable"): the least set with `at` in it that the relation keeps."""
    value = {plot: VALUES[g[0]] for plot in PLOTS if (g := growth(position, plot)) is not None and g[1] == kind}
    passes = {(a, b) for a in value for b in value if side_by_side(a, b) and value[b] < value[a]}
    reached: frozenset[str] = frozenset()
    while True:
        grown = frozenset({at} & value.keys()) | frozenset(b for a, b in passes if a in reached)
        if grown == reached:
            return reached
        reached = grown


def harvest_points(position: Position, at: str) -> dict[str, int]:
    """harvest.score, harvest.scarecrow, harvest.star, harvest.bonus: what each colour scores."""
    points: Counter[str] = Counter()
    for plot in chain(position, at, "vegetable"):
        grower, value = str(owner(position, plot)), VALUES[(growth(position, plot) or ("", ""))[0]]
        star = plot in position.get("stars", STARS)
        points[grower] += value + 3 if guarded(position, plot) else value * 2 if star else value
        points[mover(position)] += 1 if grower != mover(position) else 0
    return {colour: scored for colour, scored in points.items() if scored}


# The final score


@cache
def parts(count: int) -> frozenset[tuple[int, ...]]:
    """Every way to put so many tiles into heaps."""
    if count == 0:
        return frozenset({()})
    return frozenset(tuple(sorted((*rest, heap))) for heap in range(1, count + 1) for rest in parts(count - heap))


@cache
def collection_points(count: int, over_five: str) -> int:
    """end.collection: the best way to put the tiles of one kind into collections of 3, 4 or 5."""
    best = 0
    for heaps in parts(count):
        collections = [heap for heap in heaps if 3 <= heap <= 5]
        if over_five == "best-split" or len(collections) <= 1:
            best = max(best, sum({3: 10, 4: 15, 5: 20}[heap] for heap in collections))
    return best


def splits(counts: Sequence[int], overlap: bool, over_five: str) -> tuple[int, int]:
    """end.set, end.collection, end.overlap: the best (points for sets, points for collections)."""
    tried = []
    for sets in range(min(counts) + 1):
        left = [count if overlap else count - sets for count in counts]
        tried.append((15 * sets, sum(collection_points(count, over_five) for count in left)))
    return max(tried, key=lambda both: (sum(both), both[0]))


def final_score(position: Position) -> dict[str, Any]:
    """end.*: the object of `companion score`."""
    lines = []
    for player in position["players"]:
        harvested, left = player.get("harvested", []), len(player.get("seeds", []))
        sets, collections = splits(
            [harvested.count(kind) for kind in KINDS],
            bool(option(position, "set_collection_overlap")),
            str(option(position, "collections_over_five")),
        )
        line = {
            "colour": player["colour"],
            "track": player.get("score", 0),
            "unplanted": sum(-5 for _ in range(1, left)),
            "sets": sets,
            "collections": collections,
            "sun": 5 if player.get("sun", False) else 0,
        }
        line["total"] = sum(line[part] for part in ("track", "unplanted", "sets", "collections", "sun"))
        line["tie"] = sum(VALUES[kind] for kind in harvested)
        lines.append(line)
    return {"players": lines, "winners": winners(lines, str(option(position, "tie_break")))}


def winners(lines: list[dict[str, Any]], tie_break: str) -> list[str]:
    """end.winner: those whom nobody beats."""

    def beats(one: dict[str, Any], other: dict[str, Any]) -> bool:
        if one["total"] != other["total"] or tie_break == "shared":
            return bool(one["total"] > other["total"])
        return bool(one["tie"] > other["tie"])

    return [line["colour"] for line in lines if not any(beats(other, line) for other in lines)]


# The dice that name a plot, with the sundial's help


def changed_by(shown: int, becomes: int, wrap: bool) -> int:
    """sundial.range: how far a die is turned."""
    return min((shown - becomes) % 6, (becomes - shown) % 6) if wrap else abs(shown - becomes)


def once_a_turn(amounts: Sequence[int]) -> bool:
    """sundial.once: all that the sundial changed in one turn."""
    return len(amounts) == 0 or (len(amounts) == 1 and amounts[0] <= 2) or (len(amounts) == 2 and max(amounts) <= 1)


@cache
def named(dice: tuple[int, int], at: str, used: tuple[int, ...] | None, wrap: bool) -> tuple[int, int] | None:
    """place.coordinates, sundial.*: what the dice become to name the plot; `used` is None with no sundial at work."""
    ways = []
    for becomes in product(FACES, FACES):
        amounts = [changed_by(*pair, wrap) for pair in zip(dice, becomes, strict=True)]
        changes = [amount for amount in amounts if amount]
        names = where(at) in (becomes, becomes[::-1])
        if names and (not changes or (used is not None and once_a_turn([*used, *changes]))):
            ways.append((sum(changes), len(changes), becomes))
    return min(ways)[2] if ways else None


def naming(position: Position, dice: tuple[int, int], at: str) -> Action | None:
    """The part of an action that says `as`: empty where the dice name the plot by themselves, None where they can't."""
    if tuple(sorted(dice)) == tuple(sorted(where(at))):
        return {}
    works = any(piece(position, p) == "sundial" and owner(position, p) == mover(position) for p in PLOTS)
    used = tuple(turn(position, "sundial")) if works else None
    becomes = named(dice, at, used, bool(option(position, "sundial_wrap")))
    return None if becomes is None else {"as": list(becomes)}


def true_six(position: Position) -> bool:
    """flip.six, remove.six: a 6 lies there, under `sun_six` false one that the sun did not make."""
    sixes = turn(position, "dice").count(6)
    made = position["turn"].get("sun_die") == 6
    return sixes > (1 if made and not option(position, "sun_six") else 0)


# Every action that one can think of, and the clauses it must meet


def buys(position: Position) -> Iterator[Action]:
    for kind, die in product(KINDS, FACES):
        meets = {
            "turn.die-once": taken_from(turn(position, "dice"), [die]),
            "buy.value": VALUES[kind] <= die,
            "buy.disc": free_discs(position, mover(position)) >= 1,
            "buy.two": turn(position, "bought").count(kind) + 1 <= 2,
            "buy.supply": position.get("supply", {}).get(kind, 0) >= 1,
        }
        if all(meets.values()):
            yield {"do": "buy", "kind": kind, "die": die}


def holds(position: Position, what: str) -> bool:
    """place.held, variant.family."""
    me = seat(position, mover(position))
    if what == "bird":
        return bool(me.get("critter", False)) and not option(position, "family")
    return bool(me.get(what, False)) if what in ("sundial", "rock") else what in me.get("seeds", [])


def has_disc_for(position: Position, what: str) -> bool:
    """place.disc."""
    return what not in ("bird", "sundial") or free_discs(position, mover(position)) >= 1


def places(position: Position) -> Iterator[Action]:
    pairs = sorted({tuple(sorted(pair)) for pair in combinations(turn(position, "dice"), 2)})
    held = [what for what in (*KINDS, "bird", "sundial", "rock") if holds(position, what)]
    empty = [plot for plot in PLOTS if piece(position, plot) is None]
    for what, at, pair in product(held, empty, pairs):
        means = naming(position, (pair[0], pair[1]), at)
        if means is not None and has_disc_for(position, what):
            yield {"do": "place", "piece": what, "at": at, "dice": list(pair), **means}


def waters_and_harvests(position: Position) -> Iterator[Action]:
    for (do, side), at, die in product((("water", "seed"), ("harvest", "vegetable")), PLOTS, FACES):
        grows = growth(position, at)
        if (
            taken_from(turn(position, "dice"), [die])
            and grows is not None
            and grows[1] == side
            and owner(position, at) == mover(position)  # water.own, harvest.own
            and VALUES[grows[0]] <= die  # water.value, harvest.value
        ):
            yield {"do": do, "at": at, "die": die}


def flips(position: Position) -> Iterator[Action]:
    for at in PLOTS:
        own = piece(position, at) in SPECIALS and owner(position, at) == mover(position)  # flip.own
        if own and true_six(position):
            yield {"do": "flip", "at": at, "die": 6}


def between(start: str, end: str, diagonal: bool) -> list[str] | None:
    """move.line: the plots strictly between two on a straight line, None where there is no such line."""
    (a, b), (c, d) = where(start), where(end)
    down, right = c - a, d - b
    straight = (down == 0) != (right == 0) or (diagonal and abs(down) == abs(right) != 0)
    if not straight:
        return None
    length = max(abs(down), abs(right))
    return [f"{a + down * step // length},{b + right * step // length}" for step in range(1, length)]


def may_step_on(position: Position, critter: str, to: str) -> bool:
    """move.bird, move.rabbit, move.scarecrow, move.disc, move.once-each: whether the critter may eat what is there."""
    food, whose = growth(position, to), owner(position, to)
    meets = {
        "move.bird, move.rabbit": food is not None and food[1] == {"bird": "seed", "rabbit": "vegetable"}[critter],
        "an opponent's": whose != mover(position),
        "move.scarecrow": critter == "rabbit" or not guarded(position, to),
        "move.disc": free_discs(position, mover(position)) >= 1,
        "move.once-each": whose not in turn(position, "eaten_from"),
    }
    return all(meets.values())


def may_spit(position: Position, kind: str, die: int, spit_die: int) -> bool:
    """move.spit, and buy.two under `spit_counts_as_buy`."""
    full = bool(option(position, "spit_counts_as_buy")) and turn(position, "bought").count(kind) >= 2
    return taken_from(turn(position, "dice"), [die, spit_die]) and spit_die >= VALUES[kind] and not full


def moves(position: Position) -> Iterator[Action]:
    own = [p for p in PLOTS if piece(position, p) in CRITTERS and owner(position, p) == mover(position)]  # move.own
    for start, end, die in product(own, PLOTS, FACES):
        crossed = between(start, end, bool(option(position, "critter_diagonal")))
        if crossed is None or not taken_from(turn(position, "dice"), [die]):
            continue
        if len(crossed) + 1 > die or any(piece(position, plot) for plot in crossed):  # move.distance, move.blocked
            continue
        plain: Action = {"do": "move", "from": start, "to": end, "die": die}
        if piece(position, end) is None:
            yield plain
        elif may_step_on(position, str(piece(position, start)), end):
            yield {**plain, "eat": "swallow"}
            for spit_die in FACES:
                if may_spit(position, (growth(position, end) or ("", ""))[0], die, spit_die):
                    yield {**plain, "eat": "spit", "spit_die": spit_die}


def removes(position: Position) -> Iterator[Action]:
    critters = [plot for plot in PLOTS if piece(position, plot) in CRITTERS]  # remove.critter
    for at, first, second in product(critters, FACES, FACES):
        if first <= second and true_six(position) and taken_from(turn(position, "dice"), [first, second, 6]):
            means = naming(position, (first, second), at)  # remove.coordinates
            if means is not None:
                yield {"do": "remove", "at": at, "dice": [first, second, 6], **means}


def legal(position: Position) -> list[Action]:
    """Every action that `companion legal` lists, each once."""
    if position.get("over", False) or not position["turn"].get("rolled", False):
        return []
    kinds = (buys, places, waters_and_harvests, flips, moves, removes)
    return [action for kind in kinds for action in kind(position)]


# Positions to try


def random_position(random: Random) -> Position:
    """A position from the middle of some game: within the counts of the box, and of the set-up for so many players."""
    colours = random.sample(COLOURS, random.randint(2, 4))
    options = random_options(random)
    players = [
        {"colour": colour, "score": random.randint(0, 80), "seeds": [], "harvested": [], "sun": random.random() < 0.5}
        for colour in colours
    ]
    board: dict[str, Any] = {}
    plots = random.sample(PLOTS, len(PLOTS))
    discs = dict.fromkeys(colours, 8)
    for player in players:
        deal_specials(random, player, len(players) == 2, options.get("family", False), board, plots, discs)
    supply = deal_tiles(random, players, board, plots, discs)
    stars = list(STARS) if random.random() < 0.7 else sorted(random.sample(PLOTS, 6))
    return {
        "game": "garden-dice",
        "options": options,
        "stars": stars,
        "players": players,
        "supply": supply,
        "board": dict(sorted(board.items())),
        "turn": random_turn(random, random.choice(players), players, board),
        "last_turn": not any(supply.values()),
        "over": False,
    }


def random_options(random: Random) -> dict[str, Any]:
    other: dict[str, Any] = {
        "must_spend": random.choice(("warn", "off")),
        "collections_over_five": "cap",
        "tie_break": "shared",
    }
    changed = {name: other.get(name, not usual) for name, usual in DEFAULTS.items() if random.random() < 0.3}
    if random.random() < 0.7:  # a family game is a dull one for most of these tests
        changed.pop("family", None)
    return changed


def deal_specials(
    random: Random,
    player: dict[str, Any],
    two_players: bool,
    family: bool,
    board: dict[str, Any],
    plots: list[str],
    discs: dict[str, int],
) -> None:
    colour = player["colour"]
    player["critter"], player["sundial"] = not family and random.random() < 0.3, random.random() < 0.3
    player["rock"] = two_players and random.random() < 0.5
    if not player["critter"] and not family:
        stack = random.choice((1, 1, 2, 2, 3, 4))
        board[plots.pop()] = {"piece": random.choice(CRITTERS), "owner": colour, "discs": stack}
        discs[colour] -= stack
    if not player["sundial"]:
        up = random.choice(("sundial", "sundial", "scarecrow"))
        board[plots.pop()] = {"piece": up, "owner": colour, "discs": 1}
        discs[colour] -= 1
    if two_players and not player["rock"]:
        board[plots.pop()] = {"piece": "rock"}


def deal_tiles(
    random: Random,
    players: list[dict[str, Any]],
    board: dict[str, Any],
    plots: list[str],
    discs: dict[str, int],
) -> dict[str, int]:
    """Spreads the tiles of the set-up over players, board and what has been swallowed; returns what is left."""
    supply = dict.fromkeys(KINDS, {2: 5, 3: 7, 4: 10}[len(players)])
    stay = 0.0 if random.random() < 0.08 else random.uniform(0.1, 0.6)
    tiles = [kind for kind, count in supply.items() for _ in range(count)]
    for kind in random.sample(tiles, len(tiles)):
        if random.random() < stay:
            continue
        supply[kind] -= 1
        player, fate = random.choice(players), random.random()
        if fate < 0.15 and discs[player["colour"]]:
            player["seeds"].append(kind)
            discs[player["colour"]] -= 1
        elif fate < 0.8 and discs[player["colour"]] and plots:
            side = random.choice(("seed", "vegetable"))
            board[plots.pop()] = {"piece": f"{kind}/{side}", "owner": player["colour"], "discs": 1}
            discs[player["colour"]] -= 1
        elif fate < 0.97:
            player["harvested"].append(kind)
    return supply


def random_turn(
    random: Random, player: dict[str, Any], players: list[dict[str, Any]], board: dict[str, Any]
) -> dict[str, Any]:
    """A turn whose spent dice can have done what it says was done."""
    blank: dict[str, Any] = {"player": player["colour"], "rolled": False, "dice": [], "spent": []}
    blank |= {"bought": [], "eaten_from": [], "sundial": [], "sun_die": None}
    if random.random() < 0.03:
        return blank
    rolled = random.choices(FACES, weights=(3, 3, 3, 3, 3, 5), k=4)  # a 6 opens most
    count = random.choice((0, 0, 1, 1, 2, 2, 3, 4))
    spent, dice, unused = rolled[:count], rolled[count:], count
    bought: list[str] = []
    for die in spent:
        can = [k for k in player["seeds"] if VALUES[k] <= die and bought.count(k) < min(2, player["seeds"].count(k))]
        if can and random.random() < 0.6:
            bought.append(random.choice(can))
            unused -= 1
    own = {tile["piece"]: tile for tile in board.values() if tile.get("owner") == player["colour"]}
    amounts: list[int] = []
    if unused >= 2 and "sundial" in own and random.random() < 0.7:
        amounts = random.choice(([1], [1], [2], [1, 1]))
        unused -= 2
    swallowed = max([own[critter]["discs"] - 1 for critter in CRITTERS if critter in own], default=0)
    others = [other["colour"] for other in players if other is not player]
    eaten = random.sample(others, random.randint(0, min(unused, swallowed, len(others))))
    made = random.choice(dice) if dice and not player["sun"] and random.random() < 0.4 else None
    known = {"rolled": True, "dice": dice, "spent": spent, "bought": bought, "eaten_from": eaten}
    return {**blank, **known, "sundial": amounts, "sun_die": made}
