"""The clauses of the score track, and which bonuses a player may use: they are *earned* here and used in `bonuses`."""

from __future__ import annotations

from collections.abc import Iterable

from companion.games.garden_rush.board import TOOL_SPACES
from companion.games.garden_rush.state import TOOLS, Action, Player, Right, State, advanced, with_own
from companion.rules import Allowed, Happened, Missing, Scored


def is_tool_space(state: State, colour: str, cell: int) -> bool | Missing:
    tools = state.board.ground(colour).tools
    return Missing((f"tools.{colour}",)) if tools is None else tools[cell] is not None


def earn(state: State, rights: Iterable[Right], clause: str) -> Allowed:
    """Bonuses that may be used now; told where they are sure."""
    rights = tuple(rights)
    if not rights:
        return Allowed(state)
    state = state._replace(due=state.due + rights)
    sure = tuple(dict.fromkeys(right.bonus for right in rights if not right.missing))
    facts = {"player": state.own.colour, "bonuses": sure}
    return Allowed(state, (Happened("bonus-earned", (clause,), facts),) if sure else ())


def by_the_space(state: State, cell: int, clause: str) -> tuple[Right, ...]:
    """The bonus of the tool space on which a vegetable of the own garden has just come to lie."""
    tools = state.board.ground(state.own.colour).tools
    kept = cell if clause == "place.tool-space" else None
    if tools is None:
        return tuple(Right(tool, clause, kept, (f"tools.{state.own.colour}",)) for tool in TOOL_SPACES)
    tool = tools[cell]
    return (Right(tool, clause, kept),) if tool else ()


def spaces_in_view(state: State, player: Player, clause: str, missing: tuple[str, ...] = ()) -> tuple[Right, ...]:
    """The tool spaces of a garden that no token covers."""
    tools = state.board.ground(player.colour).tools
    if tools is None:
        return tuple(Right(tool, clause, None, (*missing, f"tools.{player.colour}")) for tool in TOOL_SPACES)
    open_spaces = (tool for tool, piece in zip(tools, player.garden, strict=True) if tool and not piece)
    return tuple(Right(tool, clause, None, missing) for tool in dict.fromkeys(open_spaces))


def tools_in_view(player: Player, clause: str, missing: tuple[str, ...] = ()) -> tuple[Right, ...]:
    """The tool tokens that lie in a garden."""
    return tuple(Right(tool, clause, None, missing) for tool in TOOLS if tool in player.garden)


# The track's own clauses, after every advance of a gnome


def skip_the_other_gnome(state: State, action: Action) -> Allowed:
    if state.own.score == 0 or state.own.score != state.opponent.score:
        return Allowed(state)
    return Allowed(with_own(state, advanced(state.own, 1)), (Scored(state.own.colour, 1, None, ("track.skip",)),))


def _not_entered(state: State) -> tuple[str, ...]:
    board = state.board
    return ("bonus_spaces",) if board.bonus_spaces is None or state.own.score in board.open_spaces else ()


def _on_a_bonus_space(state: State) -> bool:
    """Whether the gnome stands on a Tool-Bonus space, or may do so for all that is entered."""
    return bool(_not_entered(state)) or state.own.score in (state.board.bonus_spaces or ())


def earn_by_the_track(state: State, action: Action) -> Allowed:
    if not _on_a_bonus_space(state):
        return Allowed(state)
    return earn(state, spaces_in_view(state, state.own, "track.bonus", _not_entered(state)), "track.bonus")


def earn_tools_by_the_track(state: State, action: Action) -> Allowed:
    if not state.options.tools or not _on_a_bonus_space(state):
        return Allowed(state)
    missing = _not_entered(state)
    moles = (Right("move-mole", "track.variant", None, missing),) if "mole" in state.own.garden else ()
    return earn(state, (*tools_in_view(state.own, "track.variant", missing), *moles), "track.variant")


TRACK = {
    "track.skip": skip_the_other_gnome,
    "track.bonus": earn_by_the_track,
    "track.variant": earn_tools_by_the_track,
}
