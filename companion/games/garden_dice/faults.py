"""Garden Dice: all that cannot be in a position, a line each.  Fewer pieces than the box holds are no fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.document import shown
from companion.games.garden_dice.state import DISCS, KINDS, PLOTS, SPECIALS, Player, State, Tile

BOX = 10  # tiles of each kind


def faults(state: State) -> list[str]:
    return [*_seats(state), *_board(state), *_counts(state), *_turn(state)]


def _seats(state: State) -> Iterator[str]:
    for number, player in enumerate(state.players):
        if player.colour in [other.colour for other in state.players[:number]]:
            yield f"players[{number}].colour: {shown(player.colour)} stands twice"
        if player.rock and len(state.players) > 2:
            yield f"players[{number}].rock: true found, but rocks are for two players ({len(state.players)} play)"
        if player.critter and state.options.family:
            yield f"players[{number}].critter: true found, but the family variant has no birds and rabbits"


def _board(state: State) -> Iterator[str]:
    colours = [player.colour for player in state.players]
    for plot in state.astray:
        yield f"board.{plot}: there is no such plot (1,1 to 6,6)"
    for plot, tile in zip(PLOTS, state.board, strict=True):
        if tile:
            yield from (f"board.{plot}.{fault}" for fault in _tile(tile, colours, state.options.family))


def _tile(tile: Tile, colours: list[str], family: bool) -> Iterator[str]:
    if tile.piece == "rock":
        if tile.owner is not None:
            yield f"owner: {shown(tile.owner)} found, but a rock has no owner"
        if tile.discs:
            yield f"discs: {tile.discs} found, but a rock carries none"
        if len(colours) > 2:
            yield f"piece: a rock found, but rocks are for two players ({len(colours)} play)"
        return
    if tile.owner not in colours:
        found = "nobody" if tile.owner is None else shown(tile.owner)
        yield f"owner: {found} found; expected a player of this game ({', '.join(colours)})"
    if tile.piece in ("bird", "rabbit"):
        if family:
            yield f"piece: {shown(tile.piece)} found, but the family variant has no birds and rabbits"
        if not 1 <= (tile.discs or 0) <= DISCS:
            yield f"discs: {tile.discs} found; expected 1 to {DISCS}"
    elif tile.discs != 1:
        yield f"discs: {tile.discs} found; {shown(tile.piece)} carries exactly 1"


def _counts(state: State) -> Iterator[str]:
    tiles = [tile for tile in state.board if tile]
    on_board = Counter(tile.kind for tile in tiles)
    for kind, supply in zip(KINDS, state.supply, strict=True):
        held = sum((player.seeds + player.harvested).count(kind) for player in state.players)
        if (total := supply + held + on_board[kind]) > BOX:
            yield (
                f"{kind}: {total} tiles found (supply {supply}, with players {held}, board {on_board[kind]}); "
                f"the box has {BOX}"
            )
    rocks = on_board["rock"] + sum(player.rock for player in state.players)
    if len(state.players) <= 2 < rocks:
        yield f"rock: {rocks} found; the box has 2"
    for number, player in enumerate(state.players):
        yield from (f"players[{number}]: {fault}" for fault in _belongings(player, tiles))


def _belongings(player: Player, tiles: list[Tile]) -> Iterator[str]:
    own = [tile for tile in tiles if tile.owner == player.colour]
    on_board = sum(tile.discs or 0 for tile in own)
    if (discs := on_board + len(player.seeds)) > DISCS:
        where = f"board {on_board}, seeds {len(player.seeds)}"
        yield f"{discs} discs of {player.colour} found ({where}); a player has {DISCS}"
    for name, in_front, sides in (
        ("birds or rabbits", player.critter, SPECIALS[:2]),
        ("sundials or scarecrows", player.sundial, SPECIALS[2:]),
    ):
        if (count := in_front + sum(tile.piece in sides for tile in own)) > 1:
            where = f"in front {in_front:d}, board {count - in_front}"
            yield f"{count} {name} of {player.colour} found ({where}); a player has 1"


def _turn(state: State) -> Iterator[str]:
    turn = state.turn
    colours = [player.colour for player in state.players]
    if state.over:  # a turn means nothing any more
        return
    if turn.player not in colours:
        yield f"turn.player: {shown(turn.player)} found; expected a player of this game ({', '.join(colours)})"
        return
    if (dice := len(turn.dice) + len(turn.spent)) > 4:
        yield f"turn: {dice} dice found (left {len(turn.dice)}, spent {len(turn.spent)}); there are 4"
    if turn.dice + turn.spent and not turn.rolled:
        yield f"turn.rolled: false found, but dice lie there ({shown(list(turn.dice + turn.spent))})"
    if turn.sun_die is not None and turn.sun_die not in turn.dice:
        yield f"turn.sun_die: {turn.sun_die} found, but no such die is left ({shown(list(turn.dice))})"
    if turn.sun_die is not None and state.acting.sun:
        yield f"turn.sun_die: {turn.sun_die} found, but {turn.player}'s sun is unused"
    if tuple(sorted(turn.sundial)) not in ((), (1,), (2,), (1, 1)):
        yield f"turn.sundial: {shown(list(turn.sundial))} found; expected one die by up to 2 or two dice by 1"
    for kind, count in Counter(turn.bought).items():
        if count > 2:
            yield f"turn.bought: {shown(kind)} {count} times found; at most two of a kind are bought in a turn"
    for colour, count in Counter(turn.eaten_from).items():
        if count > 1 or colour == turn.player or colour not in colours:
            yield f"turn.eaten_from: {shown(colour)} found; expected each opponent at most once"
