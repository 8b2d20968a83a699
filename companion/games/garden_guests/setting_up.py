"""The set-up: a record's header to its first position."""

from __future__ import annotations

from collections.abc import Mapping

from companion.document import Fault, Field
from companion.games.garden_guests.board import Board
from companion.games.garden_guests.endings import with_blocked
from companion.games.garden_guests.faults import CARDS, GUESTS, STONES
from companion.games.garden_guests.state import OPTIONS, Options, State, Team, Turn, word
from companion.rules import read_options

SEATS: Mapping[int, Mapping[int, tuple[int, ...]]] = {  # players: teams: players of each team
    2: {2: (1, 1)},
    3: {3: (1, 1, 1)},
    4: {2: (2, 2)},
    5: {3: (2, 2, 1)},
    6: {2: (3, 3), 3: (2, 2, 2)},
}


def counts(teams: int) -> dict[int, tuple[int, ...]]:
    """By the number of players how many teams they may form of those that there are."""
    found = {players: tuple(number for number in forms if number <= teams) for players, forms in SEATS.items()}
    return {players: forms for players, forms in found.items() if forms}


def hands(seats: tuple[int, ...], options: Options) -> tuple[tuple[int, ...], ...]:
    """Five cards each; the lone player of the third team may have seven."""
    dealt = [(5,) * players for players in seats]
    if seats == (2, 2, 1):
        dealt[2] = (7,)
    elif seats == (1, 1, 1):
        dealt[2] = (options.three_player_c_hand,)
    return tuple(dealt)


def collections(teams: int) -> tuple[tuple[int, int], ...]:
    return ((1, 3), (4, 2)) if teams == 2 else ((1, 2), (1, 3), (4, 2))


def _teams(field: Field, players: int, board: Board | None) -> list[str]:
    known = SEATS[players]
    names = [entry.one_of(board.teams) if board else word(entry) for entry in field.items()]
    if len(names) not in known:
        expected = " or ".join(map(str, known))
        raise Fault(f"{field.where}: {len(names)} entries found; expected {expected} for {players} players")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise field.items()[i].fault("each team once")
    return names


def set_up(header: Field, board: Board | None) -> State:
    """Of `players`, `teams` in turn order and `options`; the first player of the first team begins."""
    fields = header.keys(("players", "teams", "options"))
    for key in ("players", "teams"):
        if key not in fields:
            raise Fault(f'{header.where or "the document"}: "{key}" is missing')
    options = read_options(Options, OPTIONS)(fields["options"]) if "options" in fields else Options()
    players = fields["players"].integer(2, 6)
    names = _teams(fields["teams"], players, board)
    seats = SEATS[players][len(names)]
    dealt, faces = hands(seats, options), collections(len(names))
    teams = [Team(name, faces[i], GUESTS, STONES, dealt[i], CARDS - sum(dealt[i]), 0) for i, name in enumerate(names)]
    teams[0] = teams[0]._replace(next_player=1 % seats[0])
    return with_blocked(State(options, board, tuple(teams), (), Turn(names[0], 0)))
