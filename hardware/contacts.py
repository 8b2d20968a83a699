"""Presses told from the levels of two contacts.  Contacts bounce, stick and are leant on: levels are all that is sure.

A press counts when the button is let go, so a button that sticks does nothing; and only where the other button was up
all the while, so an elbow on both does nothing either.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

CONFIRM, UNDO, MENU = "confirm", "undo", "menu"
BUTTONS = (CONFIRM, UNDO)
STUCK, FREED = "-stuck", "-freed"  # after a button's name
STUCK_S = 8.0  # down for so long: nobody presses like that


@dataclass
class _Contact:
    level: bool = False  # as it was seen last,
    since_s: float = 0.0  # and since when
    is_down: bool = False  # what it is taken to be
    down_at_s: float = 0.0
    spent: bool = False  # letting it go says nothing any more
    stuck: bool = False


class Contacts:
    """Feed it the levels as time goes on; it answers with what was pressed."""

    def __init__(self, steady_s: float, hold_s: float) -> None:
        """A level counts once it stood for `steady_s`; `undo` held for `hold_s` is `menu`."""
        self._steady_s, self._hold_s = steady_s, hold_s
        self._contacts = {name: _Contact() for name in BUTTONS}
        self._is_first = True

    @property
    def at_rest(self) -> bool:
        """Nothing is down or bouncing, or only what sticks: there is no hurry to look again."""
        return all(contact.stuck or not (contact.level or contact.is_down) for contact in self._contacts.values())

    def feed(self, at_s: float, down: Set[str]) -> list[str]:
        """What the levels at an instant bring: `confirm`, `undo`, `menu`, or a button `-stuck` or `-freed`."""
        told: list[str] = []
        for name, contact in self._contacts.items():
            if (name in down) != contact.level:
                contact.level, contact.since_s = name in down, at_s
            if contact.level != contact.is_down and at_s - contact.since_s >= self._steady_s:
                told += self._goes_down(contact) if contact.level else self._comes_up(name, contact)
            if contact.is_down:
                told += self._stays_down(name, contact, at_s)
            if self._is_first:
                contact.spent = contact.level  # it was down before anybody looked
        self._is_first = False
        return told

    def _goes_down(self, contact: _Contact) -> list[str]:
        contact.is_down, contact.down_at_s = True, contact.since_s
        down = [other for other in self._contacts.values() if other.is_down and not other.stuck]
        if len(down) > 1:
            for other in down:
                other.spent = True
        return []

    def _stays_down(self, name: str, contact: _Contact, at_s: float) -> list[str]:
        for_s = at_s - contact.down_at_s
        if for_s >= STUCK_S and not contact.stuck:
            contact.stuck = contact.spent = True
            return [name + STUCK]
        if name == UNDO and for_s >= self._hold_s and not contact.spent:
            contact.spent = True
            return [MENU]
        return []

    def _comes_up(self, name: str, contact: _Contact) -> list[str]:
        told = [name + FREED] if contact.stuck else [] if contact.spent else [name]
        contact.is_down = contact.spent = contact.stuck = False
        return told
