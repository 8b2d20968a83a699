"""Everything that cannot be in a position of Garden Rush."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.garden_rush.board import CELLS, COLOURS, VEGGIES
from companion.games.garden_rush.state import (
    TOKENS,
    TOOLS,
    TOOLS_EACH,
    VEGGIES_EACH,
    State,
    veggie_of,
)


def faults(state: State) -> list[str]:
    """A line each, with where it stands and what was found there."""
    return [*_board(state), *_gardens(state), *_counts(state), *_scores(state), *_turn(state)]


def _board(state: State) -> Iterator[str]:
    for colour in COLOURS:
        for cell, tool in enumerate(state.board.ground(colour).tools or ()):
            if tool and not state.board.has(colour, cell):
                yield f"board.tools.{colour}.{CELLS[cell]}: {tool} found; no such cell"


def _gardens(state: State) -> Iterator[str]:
    for seat, player in enumerate(state.players):
        tools = state.board.ground(player.colour).tools
        for cell, piece in enumerate(player.garden):
            where = f"players[{seat}].garden.{CELLS[cell]}"
            if piece and not state.board.has(player.colour, cell):
                yield f"{where}: {piece} found; no such cell"
            elif piece and veggie_of(piece) is None and tools and tools[cell]:
                yield f"{where}: {piece} found; no tool or mole lies on a tool space"


def _counts(state: State) -> Iterator[str]:
    """More than the box holds; fewer is no fault."""
    pieces = [piece for player in state.players for piece in player.garden if piece]
    tokens = Counter(veggie_of(piece) or piece for piece in pieces)
    tokens.update(token for token in (*state.hedge, state.trampoline, *state.discards) if token)
    tokens.update(dict(zip(TOKENS, state.sack, strict=True)))
    for token in (*VEGGIES, *TOOLS):
        most = VEGGIES_EACH if token in VEGGIES else TOOLS_EACH
        if tokens[token] > most:
            yield f"{token}: {tokens[token]} found in all; the box holds {most}"
    tools = sum(tokens[tool] for tool in (*TOOLS, "mole"))
    if tools and not state.options.tools:
        yield f"tools and moles: {tools} found in all; none are in play without the option tools"
    elif tools > TOOLS_EACH * len(TOOLS):
        yield f"tools and moles: {tools} found in all; the box holds {TOOLS_EACH * len(TOOLS)}"


def _scores(state: State) -> Iterator[str]:
    first, second = (player.score for player in state.players)
    if first == second != 0:
        yield f"players[1].score: {second} found; two gnomes share no space but 0"


def _turn(state: State) -> Iterator[str]:
    if state.final_turn and not state.over and state.turn == 0:
        yield f"turn.player: {state.own.colour} found; the final turn is the second player's"
    if state.lost is not None and not state.over:
        yield f"lost: {state.lost} found; the game is not over"
