"""The panel at the machine, joined to the inbox; without one the game goes on by touch and keyboard."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Protocol

from companion.config import PanelSettings
from companion.document import Fault
from companion.live import Inbox, Noticed, Pressed
from hardware.contacts import FREED, STUCK

NO_PANEL = "no-panel"


class Panel(Protocol):
    @property
    def levels(self) -> Mapping[str, bool]: ...

    def start(self) -> None: ...

    def show(self, told: str) -> None: ...

    def close(self) -> None: ...


def joined(inbox: Inbox) -> Callable[[str], None]:
    """What a panel calls: presses go into the inbox, and so does what sticks."""

    def press(told: str) -> None:
        if told.endswith((STUCK, FREED)):
            button = told.removesuffix(STUCK).removesuffix(FREED)
            inbox.put(Noticed(button + STUCK, over=told.endswith(FREED)))
        else:
            inbox.put(Pressed(told))

    return press


def panel_of(settings: PanelSettings, inbox: Inbox) -> Panel | None:
    """The panel, looked at from now on.  None where there is none; what is wrong with one is said once."""
    from hardware.panel import Panel, header_chip

    if settings.wanted is False or (settings.wanted is None and header_chip() is None):
        return None
    try:
        panel = Panel(settings, joined(inbox))
    except Fault as fault:
        print(f"companion: {fault}", file=sys.stderr, flush=True)
        inbox.put(Noticed(NO_PANEL))
        return None
    panel.start()
    return panel
