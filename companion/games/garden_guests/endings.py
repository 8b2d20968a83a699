"""The clauses of the end, and of the turn that follows where there is none."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from companion.games.garden_guests.lines import can_connect, connected
from companion.games.garden_guests.state import Action, State, Turn
from companion.rules import Allowed, Happened, Ruling


def _end(state: State) -> str | None:
    """The clause that a finished game ended by."""
    if not state.over:
        return None
    if state.winner is None:
        return "end.blocked"
    alone = len(state.teams) == 3 and all(team.out for team in state.teams if team.name != state.winner)
    return "end.last-team" if alone else "end.connected"


def nobody_has_connected(state: State, action: Action) -> bool:
    return _end(state) != "end.connected"


def more_than_one_team_is_left(state: State, action: Action) -> bool:
    return _end(state) != "end.last-team"


def somebody_can_still_connect(state: State, action: Action) -> bool:
    return _end(state) != "end.blocked"


def win_by_connecting(state: State, action: Action) -> Ruling:
    """Only the team that acted can have closed its line."""
    team = state.turn.team
    if state.board is None or not connected(state, state.board, team):
        return Allowed(state)
    return Allowed(_finished(state, team), (Happened("connected", ("end.connected", "end.check"), {"team": team}),))


def _finished(state: State, winner: str | None) -> State:
    return replace(state, over=True, winner=winner, blocked=())


def cut_off(state: State, names: Collection[str]) -> tuple[str, ...]:
    """Those of the teams that can never connect any more."""
    board = state.board
    return tuple(name for name in names if board and not can_connect(state, board, name))


def leave_when_cut_off(state: State, action: Action) -> Ruling:
    """Of all the teams: what one has laid may shut out the others."""
    if state.over or len(state.teams) < 3:
        return Allowed(state)
    gone = cut_off(state, [team.name for team in state.teams if not team.out])
    for name in gone:
        state = state.with_team(state.team(name)._replace(out=True))
    return Allowed(state, tuple(Happened("eliminated", ("end.eliminated",), {"team": name}) for name in gone))


def win_as_the_last(state: State, action: Action) -> Ruling:
    left = [team.name for team in state.teams if not team.out]
    if state.over or len(state.teams) < 3 or len(left) != 1:
        return Allowed(state)
    return Allowed(_finished(state, left[0]), (Happened("last-team", ("end.last-team",), {"team": left[0]}),))


def with_blocked(state: State) -> State:
    """The state with what follows from its pieces: which of two teams are blocked, as long as it matters."""
    if state.over or len(state.teams) > 2:
        return state
    open_still = [team.name for team in state.teams if team.name not in state.blocked]
    found = {*state.blocked, *cut_off(state, open_still)}
    return replace(state, blocked=tuple(team.name for team in state.teams if team.name in found))


def draw_when_both_are_blocked(state: State, action: Action) -> Ruling:
    """With two teams a blocked one plays on, and is told once; when nobody can connect, nobody can win."""
    if state.over:
        return Allowed(state)
    before, state = state.blocked, with_blocked(state)
    new = [name for name in state.blocked if name not in before]
    events = [Happened("blocked", ("end.blocked",), {"team": name}) for name in new]
    if all(team.out or team.name in state.blocked for team in state.teams):
        state = _finished(state, None)
        events.append(Happened("draw", ("end.blocked",)))
    return Allowed(state, tuple(events))


def seats(state: State, name: str) -> int:
    """How many players a team has; where hands are not counted as far as turns have told.

    Two teams have as many players each; so have the first two of three.
    """
    first_two = state.teams[:2]
    alike = first_two if name in [team.name for team in first_two] else state.teams[2:]
    counted = [len(team.hands) for team in alike if team.hands is not None]
    told = [team.next_player + 1 for team in alike]
    told += [state.turn.player + 1 for team in alike if team.name == state.turn.team]
    return max(counted or told)


def pass_the_turn(state: State, action: Action) -> Ruling:
    """To the next team that is not out, and to the player of it whose turn it is."""
    if state.over:
        return Allowed(state)
    names = [team.name for team in state.teams]
    here = names.index(state.turn.team) + 1
    team = next((team for team in (*state.teams[here:], *state.teams[:here]) if not team.out), state.mover)
    player, players = team.next_player, seats(state, team.name)
    state = state.with_team(team._replace(next_player=(player + 1) % players))
    name = "next-player" if players > 1 or player else "next-team"
    next_up = Happened(name, ("turn.order", "turn.one-action"), {"team": team.name, "seat": player + 1})
    return Allowed(state.with_turn(Turn(team.name, player)), (next_up,))
