"""The recorded games of `../shared/sequences`: their positions as readings, each explained as it was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.document import Field
from companion.games import load_game
from companion.kit import load_kit
from companion.referee import Earlier, Proposed, expected_table, reconcile
from tests.referee.seen import sight

SHARED = Path(__file__).parents[3] / "shared"
SEQUENCES = sorted(SHARED.glob("sequences/*/truth.jsonl"))


@pytest.mark.skipif(not SEQUENCES, reason="needs ../shared/sequences")
@pytest.mark.parametrize("truth", SEQUENCES, ids=lambda path: path.parent.name)
def test_each_step_of_a_recorded_game_is_named(truth: Path) -> None:
    folder = truth.parent
    kit = load_kit(SHARED / "kits" / folder.name.rsplit("-", 1)[0])
    game = load_game(kit.game)
    state = game.read_position(Field(json.loads((folder / "start.json").read_text())), kit)
    earlier: list[Earlier] = []
    lay: tuple[int, ...] = ()
    for line in truth.read_text().splitlines():
        told: dict[str, Any] = json.loads(line)
        if told["kind"] != "settled":
            continue
        lies, dice = game.read_position(Field(told["position"]), kit), tuple(sorted(told["dice"] or ()))
        if game.expected(lies) == game.expected(state) and dice == lay:
            continue
        seen = sight(expected_table(game, lies, kit), dice)
        finding = reconcile(game, kit, state, seen, earlier, lay)
        assert isinstance(finding, Proposed) and finding.clear, told["frame"]
        assert game.expected(finding.best.state) == game.expected(lies), told["frame"]
        assert game.scores(finding.best.state) == game.scores(lies), told["frame"]
        earlier.insert(0, Earlier(state, finding.best.actions))
        state, lay = finding.best.state, dice
    written = json.loads((folder / "actions.json").read_text())
    played = [action["do"] for step in earlier[::-1] for action in map(game.write_action, step.actions)]
    assert sorted(do for do in played if do not in ("roll", "end-turn")) == sorted(
        action["do"] for turn in written for action in turn["actions"]
    )
