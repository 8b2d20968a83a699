"""The first screen, and the list of past games.

Of `Home` draw `resume` largest, where there is one: one tap and the last game goes on.  `others` are further games that
are not over, `taps` what else there is to do, `notices` what is amiss; `empty` is said where no game is kept yet.
Of `Past` draw a row for each game: its name, its lines, its taps beside each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from companion.account import Teller
from companion.document import Fault
from companion.export.summary import date, points, title, where
from companion.rules import LANGUAGES
from companion.store.shelf import Kept
from companion.ui.view.taps import HEALTH, KITS, NEW, PAST, SCORES, Archive, Errand, Go, Resume, Speak, Tap
from companion.words import words

MOST_OTHERS = 3


@dataclass(frozen=True)
class Home:
    resume: Tap[Errand] | None
    others: tuple[Tap[Errand], ...]
    taps: tuple[Tap[Errand], ...]
    languages: tuple[Tap[Errand], ...]
    notices: tuple[str, ...]
    empty: str


@dataclass(frozen=True)
class PastGame:
    name: str
    lines: tuple[str, ...]
    taps: tuple[Tap[Errand], ...]


@dataclass(frozen=True)
class Past:
    games: tuple[PastGame, ...]  # the last one touched first
    empty: str


def home(
    found: Iterable[Kept | Fault], latest: int | None, kits: Mapping[int, str], camera: bool, language: str
) -> Home:
    """The first screen.

    `found` are all games that are kept; `latest` the number of the one that goes on; `kits` says by a game's number
    why its kit cannot be read, where it cannot.
    """
    told, found = words("companion", language)["home"], list(found)
    running = [kept for kept in _readable(found) if _goes_on(kept) and kept.number not in kits]
    running.sort(key=lambda kept: (kept.number == latest, kept.about.order), reverse=True)
    rows = tuple(Tap[Errand](_heading(kept), Resume(kept.number), _where(kept, language)) for kept in running)
    resume = rows[0] if running and running[0].number == latest else None
    rest = rows[1:] if resume else rows
    if resume:
        resume = Tap(told["resume"].format(name=resume.text), resume.to, resume.note)
    screens = [NEW, *([PAST] if _readable(found) else []), KITS, HEALTH]
    return Home(
        resume,
        rest[:MOST_OTHERS],
        tuple(Tap[Errand](told[screen], Go(screen)) for screen in screens),
        tuple(Tap[Errand](_own_name(code), Speak(code), chosen=code == language) for code in LANGUAGES),
        tuple(_notices(found, kits, camera, language)),
        "" if found else told["empty"],
    )


def past(found: Iterable[Kept | Fault], kits: Mapping[int, str], language: str) -> Past:
    """Every game that is kept, with what can be done with it; the arguments are those of `home`."""
    told = words("companion", language)["home"]
    games = sorted(_readable(found), key=lambda kept: (kept.about.touched, kept.number), reverse=True)
    rows = tuple(PastGame(_heading(kept), _lines(kept, language), tuple(_taps(kept, kits, told))) for kept in games)
    return Past(rows, "" if rows else told["empty"])


def _readable(found: Iterable[Kept | Fault]) -> list[Kept]:
    return [kept for kept in found if isinstance(kept, Kept)]


def _goes_on(kept: Kept) -> bool:
    return not kept.about.archived and not kept.session.game.over(kept.session.state)


def _heading(kept: Kept) -> str:
    """The name that somebody gave it, with its game; else its game and number."""
    game = title(kept.session.game.name)
    return f"{kept.about.name} · {game}" if kept.about.name else f"{game} {kept.number}"


def _where(kept: Kept, language: str) -> str:
    teller = Teller(kept.session.game, language, kept.about.names)
    return " · ".join((points(kept.session, teller), where(kept.session, teller)))


def _lines(kept: Kept, language: str) -> tuple[str, ...]:
    told = words("companion", language)["games"]
    state = told["archived"] if kept.about.archived else ""
    count = told["actions"].format(count=len(kept.session.actions))
    return _where(kept, language), " · ".join(filter(None, (count, date(kept.about.touched), state)))


def _taps(kept: Kept, kits: Mapping[int, str], told: Mapping[str, str]) -> Iterator[Tap[Errand]]:
    over = kept.session.game.over(kept.session.state)
    if not over and kept.number not in kits:
        yield Tap(told["go-on"], Resume(kept.number))
    yield Tap(told["scores"], Go(SCORES, kept.number))
    if not kept.about.archived:
        yield Tap(told["archive"], Archive(kept.number))


def _own_name(language: str) -> str:
    return str(words("companion", language)["home"]["language"])


def _notices(found: Iterable[Kept | Fault], kits: Mapping[int, str], camera: bool, language: str) -> Iterator[str]:
    told = words("companion", language)["home"]
    if not camera:
        yield told["no-camera"]
    for kept in found:
        if isinstance(kept, Fault):
            yield told["unreadable"].format(why=kept)
        elif _goes_on(kept) and kept.number in kits:
            yield told["no-kit"].format(name=_heading(kept), why=kits[kept.number])
        elif not kept.whole and not kept.about.archived:
            yield told["not-whole"].format(name=_heading(kept))
