"""The rules as tables: what each kind of action requires and what then follows, by clause of the rulebook."""

from __future__ import annotations

from companion.games.garden_guests import cards, colonies, endings, paths
from companion.games.garden_guests.state import BuildColony, Collect, LayPath, PassFlowers
from companion.rules import Rule

STILL_ON = {
    "end.connected": endings.nobody_has_connected,
    "end.last-team": endings.more_than_one_team_is_left,
    "end.blocked": endings.somebody_can_still_connect,
}
ENDS = {
    "end.connected": endings.win_by_connecting,
    "end.eliminated": endings.leave_when_cut_off,
    "end.last-team": endings.win_as_the_last,
    "end.blocked": endings.draw_when_both_are_blocked,
}

COLLECT = Rule(
    requires={**STILL_ON, "collect.card": cards.a_card_shows_it},
    then={
        "collect.reshuffle": cards.reshuffle_the_discards,
        "collect.card": cards.draw_and_flip,
        "collect.limit": cards.collector_keeps_fifteen,
    },
)

BUILD_COLONY = Rule(
    requires={
        **STILL_ON,
        "colony.space": colonies.on_a_pedestal_or_an_own_home,
        "colony.never-add": colonies.never_onto_an_own_colony,
        "path.safe": colonies.never_onto_a_safe_colony,
        "colony.home": colonies.one_card_on_a_home,
        "colony.knock-off": colonies.one_guest_more_than_lies_there,
        "colony.cards": colonies.a_card_of_its_flower_for_each_guest,
        "colony.guests": colonies.no_more_guests_than_are_left,
    },
    then={
        "cards.discard": colonies.discard_its_cards,
        "colony.empty": colonies.take_an_empty_pedestal,
        "colony.knock-off": colonies.knock_off_what_lies_there,
        "colony.home": colonies.settle_at_home,
        "path.secure": colonies.secure_beside_an_own_stone,
        **ENDS,
    },
)

LAY_PATH = Rule(
    requires={
        **STILL_ON,
        "path.ends": paths.between_two_own_colonies,
        "path.flowers-only": paths.over_flowers_that_no_other_team_holds,
        "path.unbroken": paths.each_space_touches_the_one_before,
        "path.reuse": paths.over_own_stones_with_one_new,
        "path.cards": paths.a_card_of_its_flower_for_each_stone,
    },
    then={
        "cards.discard": paths.discard_its_cards,
        "path.permanent": paths.take_its_stones,
        "path.complete": paths.lay_all_of_it,
        "path.secure": paths.secure_what_it_touches,
        **ENDS,
    },
)

PASS_FLOWERS = Rule(
    requires={
        **STILL_ON,
        "pass.teammate": cards.to_a_teammate,
        "pass.card": cards.a_card_shows_it,
        "pass.enough": cards.no_more_than_the_hand,
    },
    then={"pass.card": cards.hand_over_and_flip, "pass.limit": cards.receiver_keeps_fifteen},
)

RULES = {Collect: COLLECT, BuildColony: BUILD_COLONY, LayPath: LAY_PATH, PassFlowers: PASS_FLOWERS}
CLOSING = {"turn.order": endings.pass_the_turn}
