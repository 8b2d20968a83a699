"""How fast the referee is.  `make benchmark` runs and prints these; nothing here fails for being slow.

Medians over many cases: applying a legal action, listing what is legal in a full mid-game position, judging a record
of 200 actions, and the start-up of `companion judge` as a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from companion.commands.judge import judged
from companion.document import Field
from companion.games import NAMES, load_game
from companion.rules import judge
from companion.session import Record
from tests.games.play import play

FULL_POSITION = {
    "game": "garden-dice",
    "players": [
        {"colour": "blue", "seeds": ["squash", "carrot", "tomato"], "sun": True, "rock": True},
        {"colour": "green", "seeds": ["tomato"]},
    ],
    "supply": {"squash": 4, "carrot": 4, "tomato": 3, "artichoke": 4, "eggplant": 4},
    "board": {
        "2,2": {"piece": "sundial", "owner": "blue"},
        "3,3": {"piece": "rabbit", "owner": "blue"},
        "1,6": {"piece": "artichoke/seed", "owner": "blue"},
        "4,4": {"piece": "scarecrow", "owner": "green"},
        "3,6": {"piece": "tomato/vegetable", "owner": "green"},
        "5,3": {"piece": "carrot/vegetable", "owner": "blue"},
        "6,1": {"piece": "eggplant/seed", "owner": "green"},
    },
    "turn": {"player": "blue", "rolled": True, "dice": [2, 3, 5, 6]},
}


def seconds(task: Callable[[], object]) -> float:
    begun = time.perf_counter()
    task()
    return time.perf_counter() - begun


@pytest.mark.parametrize("name", NAMES)
def test_applying_a_legal_action(name: str) -> None:
    game = load_game(name)
    plies = [ply for seed in range(12) for ply in play(name, seed, 200)[1]]
    times = [min(seconds(lambda p=ply: judge(game, p.before, p.action)) for _ in range(3)) for ply in plies]
    print(f"\n{name}: applying a legal action, median of {len(times)}: {median(times) * 1e6:.0f} µs")


def test_listing_legal_actions() -> None:
    game = load_game("garden-dice")
    state = game.read_position(Field(FULL_POSITION), None)
    times = [seconds(lambda: game.legal(state)) for _ in range(40)]
    count = len(game.legal(state)["actions"])
    print(
        f"\ngarden-dice: {count} legal actions with four dice and a sundial, median of 40: {median(times) * 1e3:.1f} ms"
    )


@pytest.mark.parametrize("name", NAMES)
def test_judging_a_record(name: str, tmp_path: Path) -> None:
    """The whole record ruled on and told, as `companion judge --json` does after start-up."""
    from companion.account import Teller
    from companion.commands.judge import as_json

    game = load_game(name)
    start, played = play(name, 5, 200)
    record = Record(game, start, tuple(ply.action for ply in played))
    teller = Teller(game, "en")
    times = [seconds(lambda: json.dumps(as_json(game, *judged(record), True, teller))) for _ in range(15)]
    print(f"\n{name}: a record of {len(played)} actions, median of 15: {median(times) * 1e3:.0f} ms")


def test_start_up(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text('{"format": 1, "game": "garden-dice", "players": ["blue", "red"], "actions": []}')
    command = [sys.executable, "-m", "companion", "judge", str(record), "--json"]
    times = [seconds(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(9)]
    print(f"\ncompanion judge of an empty record, a whole process, median of 9: {median(times) * 1e3:.0f} ms")
