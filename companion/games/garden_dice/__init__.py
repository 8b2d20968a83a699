"""Garden Dice as data: for each action what it requires and what then follows, by the clauses of the rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.garden_dice import (
    asking,
    chain,
    choosing,
    clauses,
    critters,
    faults,
    forms,
    legal,
    scoring,
    suggest,
    table,
)
from companion.games.garden_dice.state import (
    NAME,
    OPTIONS,
    Buy,
    EndTurn,
    Flip,
    Harvest,
    Move,
    Place,
    Remove,
    Reroll,
    Roll,
    SetDie,
    State,
    Water,
)
from companion.rules import Allowed, Game, Happened, Rule, legal_actions, objection

_TURN = {"end.trigger": clauses.game_goes_on, "turn.roll": clauses.dice_are_rolled}
_SPENDING = {**_TURN, "turn.die-once": clauses.dice_are_unspent}
_SUNDIAL = {
    "sundial.coordinates": clauses.only_coordinates_change,
    "sundial.range": clauses.stays_on_the_die,
    "sundial.once": clauses.one_use_a_turn,
    "sundial.placed": clauses.own_sundial_lies_on_board,
}


def could_still_act(state: State) -> bool:
    return any(objection(RULES[type(action)], state, action) is None for action in legal.actions(state))


def all_dice_spent(state: State, action: EndTurn) -> bool:
    return state.options.must_spend != "enforce" or not state.turn.dice or not could_still_act(state)


def warn_of_dice_left(state: State, action: EndTurn) -> Allowed:
    if state.options.must_spend != "warn" or not state.turn.dice or not could_still_act(state):
        return Allowed(state)
    return Allowed(state, (Happened("dice-left", ("turn.spend-all",), {"dice": state.turn.dice}),))


RULES: Mapping[type, Rule] = {
    Roll: Rule(
        requires={"end.trigger": clauses.game_goes_on, "turn.roll": clauses.nothing_rolled_yet},
        then={"turn.roll": clauses.roll},
    ),
    Reroll: Rule(
        requires={
            **_TURN,
            "turn.four-alike": clauses.four_alike_as_rolled,
            "sun.once": clauses.sun_unused,
            "sun.reroll": clauses.at_the_start_with_the_sun,
        },
        then={
            "turn.four-alike": clauses.roll_again_with_four_alike,
            "sun.once": clauses.use_up_sun,
            "sun.reroll": clauses.roll_again_with_the_sun,
        },
    ),
    SetDie: Rule(
        requires={**_TURN, "sun.once": clauses.sun_unused, "sun.set": clauses.die_to_set_is_unspent},
        then={"sun.once": clauses.use_up_sun, "sun.set": clauses.set_die},
    ),
    Buy: Rule(
        requires={
            **_SPENDING,
            "buy.value": clauses.die_reaches_value,
            "buy.disc": clauses.disc_for_the_seed,
            "buy.two": clauses.two_of_a_kind_at_most,
            "buy.supply": clauses.supply_holds_it,
        },
        then={
            "turn.die-once": clauses.spend,
            "buy.supply": clauses.take_from_supply,
            "buy.disc": clauses.lay_seed_in_front,
            "end.trigger": clauses.last_seed_taken,
        },
    ),
    Place: Rule(
        requires={
            **_SPENDING,
            **_SUNDIAL,
            "place.coordinates": clauses.dice_name_the_plot,
            "place.empty": clauses.plot_is_empty,
            "place.side": clauses.on_its_first_side,
            "variant.family": clauses.no_critters_in_the_family,
            "place.held": clauses.player_holds_it,
            "place.disc": clauses.disc_for_the_special,
        },
        then={
            "turn.die-once": clauses.spend,
            "sundial.once": clauses.note_sundial,
            "place.side": clauses.put_down,
        },
    ),
    Water: Rule(
        requires={**_SPENDING, "water.own": chain.own_seed, "water.value": chain.die_reaches_the_tile},
        then={
            "turn.die-once": clauses.spend,
            "water.stop": chain.watering_stops,
            "water.chain": chain.water_the_chain,
        },
    ),
    Harvest: Rule(
        requires={**_SPENDING, "harvest.own": chain.own_vegetable, "harvest.value": chain.die_reaches_the_tile},
        then={
            "turn.die-once": clauses.spend,
            "harvest.stop": chain.harvest_stops,
            "harvest.score": chain.score_tiles,
            "harvest.bonus": chain.bonus_for_the_harvester,
            "harvest.chain": chain.gather,
        },
    ),
    Flip: Rule(
        requires={**_SPENDING, "flip.own": clauses.own_special, "flip.six": clauses.die_is_a_six},
        then={"turn.die-once": clauses.spend, "flip.own": clauses.flip},
    ),
    Move: Rule(
        requires={
            **_SPENDING,
            "place.fixed": critters.not_a_fixed_tile,
            "move.own": critters.own_critter,
            "move.line": critters.in_a_line,
            "move.distance": critters.within_the_die,
            "move.blocked": critters.way_is_free,
            "move.bird": critters.eats_an_opponents("bird"),
            "move.rabbit": critters.eats_an_opponents("rabbit"),
            "move.scarecrow": critters.no_scarecrow_guards_the_seed,
            "move.disc": critters.disc_for_the_eater,
            "move.once-each": critters.one_from_each_opponent,
            "move.swallow": critters.says_what_becomes_of_the_prey,
            "move.spit": critters.die_for_spitting,
            "buy.two": critters.spat_out_as_bought,
        },
        then={
            "turn.die-once": clauses.spend,
            "move.once-each": critters.eat,
            "move.swallow": critters.swallow,
            "move.spit": critters.spit_out,
            "move.line": critters.go,
        },
    ),
    Remove: Rule(
        requires={
            **_SPENDING,
            **_SUNDIAL,
            "remove.critter": critters.a_critter,
            "remove.coordinates": critters.dice_name_the_critter,
            "remove.six": critters.third_is_a_six,
        },
        then={
            "turn.die-once": clauses.spend,
            "sundial.once": clauses.note_sundial,
            "remove.return": critters.give_back,
        },
    ),
    EndTurn: Rule(
        requires={**_TURN, "turn.spend-all": all_dice_spent},
        then={
            "turn.spend-all": warn_of_dice_left,
            "end.trigger": clauses.end_after_the_last_turn,
            "turn.order": clauses.pass_the_dice,
        },
    ),
}


def describe(state: State, action: Any) -> tuple[str, Mapping[str, Any]]:
    """The key of an action's sentence in the words, and the facts that fill it."""
    facts = {name: getattr(action, name) for name in type(action).__slots__} | {"player": state.turn.player}
    if isinstance(action, Water | Harvest | Flip | Remove | Move):
        tile = state.tile(action.origin if isinstance(action, Move) else action.at)
        facts |= {"piece": tile.piece if tile else "nothing"}
    key = next(name for name, form in forms.ACTIONS.forms.items() if form.make is type(action))
    how = "with-sundial" if getattr(action, "become", None) else getattr(action, "eat", None)
    return f"{key}-{how}" if how else key, facts


def list_legal(state: State) -> dict[str, Any]:
    return {"actions": [forms.ACTIONS.write(action) for action in legal_actions(GAME, state)]}


GAME: Game = Game(
    name=NAME,
    package=__name__,
    options=OPTIONS,
    rules=RULES,
    closing={},
    clauses_within={
        "setup.supply": forms.supply_at_start,
        "setup.player": forms.player_at_start,
        "harvest.scarecrow": chain.guarded,
        "harvest.star": chain.on_a_star,
        "end.unplanted": scoring.unplanted,
        "end.set": scoring.sets,
        "end.collection": scoring.collections,
        "end.overlap": scoring.sets_and_collections,
        "end.sun": scoring.unused_sun,
        "end.winner": scoring.winners,
    },
    informative=frozenset({"setup.first", "track.wrap"}),
    seating=forms.seating,
    set_up=forms.set_up,
    read_position=forms.read_position,
    write_position=forms.write_position,
    faults=faults.faults,
    read_action=forms.read_action,
    write_action=forms.ACTIONS.write,
    check_action=lambda state, action: None,
    actions=legal.actions,
    legal=list_legal,
    score=scoring.final_score,
    over=lambda state: state.over,
    place=table.place,
    expected=table.expected,
    relaid=table.relaid,
    scores=table.scores,
    suggest=lambda state, change: suggest.suggest(GAME, state, change),
    describe=describe,
    bonuses=scoring.bonuses,
    asked=asking.asked,
    answers=asking.answers,
    besides=lambda state: choosing.besides(GAME, state),
    further=choosing.further,
    offers=lambda state: [action for action in legal_actions(GAME, state) if isinstance(action, Buy)],
    dice_left=lambda state: state.turn.dice,
    ends_turn=lambda action: isinstance(action, EndTurn),
    implied=lambda state: (EndTurn(),) if state.turn.rolled and not state.turn.dice else (),
    throws=lambda action: isinstance(action, Roll),
    owes=lambda actions: isinstance(actions[-1], EndTurn) if actions else False,
    shape=suggest.shape,
    overlooked=suggest.overlooked,
    needs_dice=lambda state: not state.turn.rolled,
)
