"""A step of calibrating on the screen: what to do, how far it has come, whether it passes, and what there is to tap.

Draw a `Bench` as its picture with everything over it, beside it the title, the lines and the rows of taps; of a line
its sign stands for its grade as well as its colour.  What is tapped comes to a deed, which whoever calibrates does; to
a `Desk`, which is only how the screen stands; or to another screen.  Handles can be dragged: `moved` is what comes of
it; the keys of `nudges` move the chosen one by a little.  A space that is tapped comes to what `spaces` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.dialogue import (
    CUT,
    LIVE,
    Afresh,
    CameraStand,
    CheckStand,
    Deed,
    Drop,
    Form,
    Handle,
    Job,
    Keep,
    LensStand,
    Move,
    Outline,
    Pick,
    PiecesStand,
    Point,
    Said,
    Stand,
    Take,
    Wrong,
)
from calibration.findings import CANNOT_BE, HARD, Finding
from companion.account import Teller
from companion.kit import SHAPES
from companion.ui.view.taps import Go, Tap
from companion.ui.view.wording import capital, piece_name, pieces_text
from companion.words import filled, numbers, words

GOOD, DOUBT, BAD, PLAIN, HEAD = "good", "doubt", "bad", "plain", "head"
SIGNS = {GOOD: "OK", DOUBT: "!", BAD: "×"}
GRADES = {CANNOT_BE: BAD, HARD: DOUBT}
MOST_HEIGHT_MM = 40.0
LEFT, UP, DOWN, RIGHT = "left", "up", "down", "right"
STEPS = {LEFT: (-1, 0), UP: (0, -1), DOWN: (0, 1), RIGHT: (1, 0)}
ARROWS = {LEFT: "◀", UP: "▲", DOWN: "▼", RIGHT: "▶"}
IN_A_ROW = 3
SIZES = ("measured", "size_mm")  # facts that are written numbers already
NUDGE, NEAR_NUDGE = 1 / 300, 1 / 2500  # of the picture


@dataclass(frozen=True)
class Desk:
    """How the screen stands: what is typed, which handle or space is chosen, whether it is looked at from near."""

    mode: str = ""  # size | kind | pieces | findings
    text: str = ""
    handle: str = ""
    space: str = ""
    near: bool = False


@dataclass(frozen=True)
class Work:
    """Another step."""

    job: Job


To = Desk | Deed | Work | Go


@dataclass(frozen=True)
class Line:
    text: str
    grade: str = PLAIN

    @property
    def sign(self) -> str:
        return SIGNS.get(self.grade, "")


@dataclass(frozen=True)
class Bench:
    title: str
    lines: tuple[Line, ...]
    main: Tap[To] | None = None
    taps: tuple[tuple[Tap[To], ...], ...] = ()
    has_picture: bool = True
    outlines: tuple[Outline, ...] = ()
    handles: tuple[Handle, ...] = ()
    cells: tuple[tuple[bool, ...], ...] = ()
    chosen: str = ""  # a handle, or a space
    near: Point | None = None  # from near, around this place
    nudges: Mapping[str, Move] = field(default_factory=dict)
    spaces: Mapping[str, To] = field(default_factory=dict)


class Told:
    """The words that the steps are told in."""

    def __init__(self, language: str, teller: Teller | None) -> None:
        self.language = language
        self.common = words("companion", language)
        self.words: Mapping[str, Any] = self.common["bench"]
        self.calibration = words("calibration", language)
        self.teller = teller

    def __getitem__(self, key: str) -> str:
        return str(self.words[key])

    def filled(self, text: str, /, **facts: Any) -> str:
        return filled(text, self.language, **facts)

    def numbers(self, text: str) -> str:
        """Numbers as the language writes them."""
        return numbers(text, self.language)

    def piece(self, name: str) -> str:
        return piece_name(self.teller, name) if self.teller is not None else name

    def board(self, name: str) -> str:
        return str(self.words["boards"].get(name) or self["board"].format(board=name))

    def pieces(self, names: tuple[str, ...]) -> str:
        return pieces_text(self.teller, names) if self.teller is not None else " + ".join(names)

    def said(self, said: Said) -> Line:
        """What came of a picture, or of a deed."""
        grade = {True: GOOD, False: BAD, None: PLAIN}[said.passed]
        if said.key.startswith("not-seen-"):
            return Line(self.not_seen(said.key.removeprefix("not-seen-")), grade)
        ways: dict[str, Callable[[Any], str]] = {"piece": self.piece, **dict.fromkeys(SIZES, self.numbers)}
        facts = {key: ways[key](value) if key in ways else value for key, value in said.facts.items()}
        text = self.words["said"].get(said.key) or self.calibration["calibrate"].get(said.key)
        return Line(capital(self.filled(text or self.calibration["steps"][said.key], **facts)), grade)

    def finding(self, finding: Finding) -> Line:
        facts = {
            key: self.piece(value) if key in ("piece", "one", "other") else value
            for key, value in finding.facts.items()
        }
        text = self.words["found"].get(finding.key) or self.calibration["findings"][finding.key]
        return Line(capital(self.filled(text, **facts)), GRADES.get(finding.grade, PLAIN))

    def not_seen(self, key: str) -> str:
        return str(self.common["not-seen"].get(key, key))

    def troubles(self, stand: Stand) -> Iterator[Line]:
        """What stands in the way, and what takes a while."""
        if stand.trouble:
            yield Line(self.not_seen(stand.trouble), BAD)
        if stand.ended and stand.shows == LIVE:
            yield Line(self["ended"], DOUBT)
        if stand.busy:
            yield Line(self.words["busy"][stand.busy], DOUBT)

    def last(self, stand: Stand) -> Iterator[Line]:
        if stand.last is not None:
            yield self.said(stand.last)


def nudges(handles: Iterable[Handle], chosen: str, near: bool) -> dict[str, Move]:
    """Where each arrow moves the chosen handle."""
    step = NEAR_NUDGE if near else NUDGE
    at = next((handle.at for handle in handles if handle.name == chosen), None)
    if at is None:
        return {}
    return {key: Move(chosen, (at[0] + x * step, at[1] + y * step)) for key, (x, y) in STEPS.items()}


# The camera


def camera_bench(stand: CameraStand, desk: Desk, told: Told) -> Bench:
    steps = tuple(map(told.said, stand.steps))
    passed = bool(steps) and all(step.passed for step in stand.steps)
    verdict = [Line(told["passed"], GOOD)] if passed else []
    keeps = passed and stand.fixed and not stand.kept
    taps: list[tuple[Tap[To], ...]] = [(Tap[To](told["set-anew"], Afresh()),)] if stand.fixed else []
    to_lens = Tap[To](told["lens"], Work(Job("lens")))
    lines = (Line(told["camera-how"]), *steps, *verdict, *([Line(told["kept"], GOOD)] if stand.kept else []))
    main = Tap[To](told["keep"], Keep()) if keeps else to_lens if passed else None
    return Bench(told["camera"], lines, main, (*taps, *([] if main is to_lens else [(to_lens,)])))


# The lens


def lens_bench(stand: LensStand, desk: Desk, told: Told) -> Bench:
    share = sum(map(sum, stand.covered)) / max(1, sum(map(len, stand.covered)))
    percent, least = round(100 * share), round(100 * stand.least_covered)
    checks = [
        _check_line(stand.views >= stand.least_views, told["views"].format(count=stand.views, least=stand.least_views)),
        _check_line(share >= stand.least_covered, told["covered"].format(share=percent, least=least)),
        _check_line(
            stand.tilted >= stand.least_tilted, told["tilted"].format(count=stand.tilted, least=stand.least_tilted)
        ),
    ]
    if stand.residual_px is not None:
        text = told.filled(told["residual"], px=stand.residual_px, most=stand.most_residual_px)
        checks.append(_check_line(stand.residual_px <= stand.most_residual_px, text))
    told_above = ("few-views", "coverage", "straight", "residual")
    others = [told.finding(f) for f in stand.findings if f.key not in told_above and stand.views >= stand.least_views]
    if stand.kept:
        done = (Line(told["kept"], GOOD), *checks)
        return Bench(
            told["lens"], done, Tap(told.common["touch"]["kits"], Go("kits")), _afresh(told), cells=stand.covered
        )
    verdict = [Line(told["passed"], GOOD)] if stand.passed else []
    how, so_far = [Line(told["lens-how"])], [*verdict, *told.last(stand), *checks, *others]
    lines = (*so_far, *how) if stand.views else (*how, *so_far)
    main = Tap[To](told["keep"], Keep()) if stand.passed else None
    return Bench(told["lens"], lines, main, _afresh(told) if stand.views else (), cells=stand.covered)


def _check_line(passes: bool, text: str) -> Line:
    return Line(text, GOOD if passes else BAD)


def _afresh(told: Told) -> tuple[tuple[Tap[To], ...], ...]:
    return ((Tap[To](told["afresh"], Afresh()),),)


# Pieces


def pieces_bench(stand: PiecesStand, desk: Desk, told: Told) -> Bench:
    done = sum(stand.classes.values())
    count = told["pieces-done"].format(count=done, all=len(stand.classes))
    if desk.mode == "pieces":
        taps = [
            Tap[To](told.piece(name), Pick(name), told["there"] if there else "", name == stand.piece)
            for name, there in stand.classes.items()
        ]
        rows = tuple(tuple(taps[at : at + IN_A_ROW]) for at in range(0, len(taps), IN_A_ROW))
        return Bench(count, (Line(told["which-piece"]),), taps=rows, has_picture=False)
    others = (Tap[To](told["other-pieces"], Desk("pieces")),)
    if stand.shows == CUT:
        width, height = stand.size_mm or (0.0, 0.0)
        facts = {"piece": told.piece(stand.piece), "count": stand.cut, "width": width, "height": height}
        lines = (Line(told.filled(told["cut"], **facts)), *map(told.finding, stand.findings))
        return Bench(count, lines, Tap(told["right"], Keep()), ((Tap[To](told["again"], Drop()),), others))
    seen = Line(told["sheet-seen"], GOOD) if stand.sheet else Line(told["no-sheet"], BAD)
    found = [told.finding(finding) for finding in stand.findings]
    if not stand.piece:
        lines = (Line(told["all-pieces"], GOOD), *told.last(stand), *found)
        check = Tap[To](told["check"], Work(Job("check", stand.job.kit)))
        return Bench(count, lines, check, (others,))
    prompt = Line(told["lay"].format(piece=told.piece(stand.piece)))
    form = (
        Tap[To](told.words["shape"][stand.shape], _other_shape(stand)),
        Tap[To](told["lower"], _other_height(stand, -1)),
        Tap[To](told["higher"], _other_height(stand, 1)),
    )
    thick = Line(told["thick"].format(mm=told.numbers(f"{stand.height_mm:g}")))
    take = Tap[To](told["take"], Take())
    return Bench(count, (prompt, seen, *told.last(stand), *found, thick), take, (others, form))


def _other_shape(stand: PiecesStand) -> Form:
    at = SHAPES.index(stand.shape) if stand.shape in SHAPES else -1
    return Form(SHAPES[(at + 1) % len(SHAPES)], stand.height_mm)


def _other_height(stand: PiecesStand, by_mm: float) -> Form:
    return Form(stand.shape, min(MOST_HEIGHT_MM, max(0.0, stand.height_mm + by_mm)))


# The check


def check_bench(stand: CheckStand, desk: Desk, told: Told) -> Bench:
    if stand.waits:
        return _photograph(stand, desk, told)
    count = told["photographs"].format(count=stand.photographs, least=stand.least)
    found = tuple(map(told.finding, stand.findings))
    if desk.mode == "findings":
        return Bench(told["findings"], found or (Line(told["nothing-found"], GOOD),), has_picture=False)
    counts = told["counts"].format(right=stand.right, wrong=stand.errors, unsure=stand.unsure)
    lines = [Line(told["check-how"])]
    if stand.photographs:
        lines.append(Line(counts, BAD if stand.errors else GOOD))
    if stand.accepted is not None:
        lines.insert(0, Line(told["accepted"], GOOD) if stand.accepted else Line(told["not-accepted"], BAD))
    serious = [line for line in found if line.grade == BAD]
    alike = told["look-alike"].format(count=sum(f.key in ("same", "alike") for f in stand.findings))
    row = (Tap[To](told["findings"], Desk("findings"), alike),)
    lines += [*told.last(stand), *serious]
    main = None if stand.busy == "learning" else Tap[To](told["take"], Take())
    return Bench(count, tuple(lines), main, (row, *(_afresh(told) if stand.photographs else ())))


def _photograph(stand: CheckStand, desk: Desk, told: Told) -> Bench:
    """One is read, and waits to be confirmed: what is wrong is tapped."""
    title = told["photograph"].format(count=stand.photographs + 1, least=stand.least)
    lying = [space for space, pieces in stand.read.items() if pieces]
    spaces: dict[str, To] = {space: replace(desk, space=space) for space in (*stand.read, *stand.untold)}
    lines = [Line(told["confirm-how"])] if not desk.space else []
    taps: list[tuple[Tap[To], ...]] = []
    if desk.space in stand.read:
        what = told.pieces(stand.read[desk.space])
        is_wrong = desk.space in stand.wrong
        lines.append(Line(told["was-read"].format(space=desk.space, pieces=what), BAD if is_wrong else PLAIN))
        taps.append((Tap[To](told["not-wrong"] if is_wrong else told["wrong"], Wrong(desk.space)),))
    elif desk.space:
        lines.append(Line(told["not-told"].format(space=desk.space)))
    if lying:
        after = lying[(lying.index(desk.space) + 1) % len(lying)] if desk.space in lying else lying[0]
        taps.append((Tap[To](told["next-space"], replace(desk, space=after)), _nearer(desk, told)))
    counts = told["read"].format(count=len(stand.read), unsure=len(stand.untold), wrong=len(stand.wrong))
    lines.append(Line(counts))
    right = Tap[To](told["rest-right"] if stand.wrong else told["all-right"], Keep())
    taps.append((Tap[To](told["again"], Drop()),))
    middle = next((_middle(outline) for outline in stand.outlines if outline.space == desk.space), (0.5, 0.5))
    near = middle if desk.near else None
    return Bench(
        title, tuple(lines), right, tuple(taps), outlines=stand.outlines, chosen=desk.space, near=near, spaces=spaces
    )


def _nearer(desk: Desk, told: Told) -> Tap[To]:
    return Tap[To](told["far"] if desk.near else told["near"], replace(desk, near=not desk.near))


def _middle(outline: Outline) -> Point:
    count = len(outline.corners)
    return sum(x for x, _ in outline.corners) / count, sum(y for _, y in outline.corners) / count
