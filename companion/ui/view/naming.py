"""A player's own name as it is typed, sign by sign.

Draw `title`, the text as far as it is typed, and the keys; each comes to the next step of typing, `done` to the
draft with the name.  Without a name a player is called by colour or team again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from companion.account import Teller
from companion.ui.view.new_game import Draft
from companion.ui.view.taps import Tap
from companion.ui.view.wording import capital

LONGEST = 12
BEGIN_A_WORD = ("", " ", "-")


@dataclass(frozen=True)
class Naming:
    """Whose name it is in a draft, and what is typed of it."""

    draft: Draft
    side: str
    text: str


@dataclass(frozen=True)
class Keyboard:
    title: str
    text: str
    letters: tuple[Tap[Any], ...]
    signs: tuple[Tap[Any], ...]  # and what takes the last one away
    done: Tap[Any]


def begun(draft: Draft, side: str) -> Naming:
    return Naming(draft, side, draft.names.get(side, ""))


def typed(naming: Naming, sign: str) -> Naming:
    """With one sign more, as far as there is room: a word begins with a capital.  No sign: without the last one."""
    if not sign:
        return replace(naming, text=naming.text[:-1])
    if not (sign.isalpha() or sign in " -") or len(sign) != 1 or (sign in " -" and naming.text[-1:] in BEGIN_A_WORD):
        return naming
    large = naming.text[-1:] in BEGIN_A_WORD
    return replace(naming, text=(naming.text + (sign.upper() if large else sign))[:LONGEST])


def named(naming: Naming) -> Draft:
    """The draft with the name; without one where nothing is typed."""
    names = {side: name for side, name in naming.draft.names.items() if side != naming.side}
    text = naming.text.strip(" -")
    return replace(naming.draft, names=names | ({naming.side: text} if text else {}))


def keyboard(naming: Naming, teller: Teller) -> Keyboard:
    told = teller.common["new"]
    letters = tuple(Tap(sign, typed(naming, sign)) for sign in teller.common["letters"]["all"])
    signs = Tap("-", typed(naming, "-")), Tap(told["blank"], typed(naming, " ")), Tap(told["erase"], typed(naming, ""))
    title = told["name-of"].format(side=teller.plain(naming.side))
    return Keyboard(capital(title), naming.text, letters, signs, Tap(told["done"], named(naming)))
