"""The referee asked: what may be done on a space, what would come of it, what may not, and by which clause."""

from __future__ import annotations

from kivy.app import App
from kivy.factory import Factory

from companion.document import Fault
from companion.kit import Space
from companion.ui.board_widget import Overlay
from companion.ui.parts import Key, Part, grid, key_of
from companion.ui.screens.menu import IN_A_ROW, BoardScreen, example_of
from companion.ui.view.clause import said
from companion.ui.view.dispute import Answer, Possible, Refusal, ask, askable
from companion.ui.view.taps import Tap
from companion.ui.view.wording import place_name


class AskScreen(BoardScreen):
    """Shows what may be asked, an answer, or more about one of its lines."""

    def show(
        self, about: str = "", detail: Possible | Refusal | None = None, first: bool = False, near: str = ""
    ) -> None:
        """`about` a space or a kind of piece; `first`: the first thing that may be done there, with what it brings.

        `near`: one of the spaces around this one is still to be tapped.
        """
        if first:
            showing = App.get_running_app().showing
            state = showing.game.table.log.session.state
            self._detail(ask(about, state, showing.kit, showing.teller).may[0])
        elif detail is not None:
            self._detail(detail)
        elif about:
            self._answer(about)
        else:
            self._begin(near)

    def tapped(self, space: Space) -> None:
        App.get_running_app().open("ask", about=space.id)

    def _begin(self, near: str) -> None:
        app = App.get_running_app()
        showing = app.showing
        taps = askable(showing.game.table.log.session.state, showing.kit, showing.teller)
        spaces = [space.id for space in showing.kit.spaces if showing.teller.game.place(space) is not None]
        named = [Tap(place_name(showing.teller, space, showing.kit), space) for space in spaces]  # for buttons alone
        keys: list[Part] = [key_of(tap, lambda about: app.open("ask", about=about)) for tap in taps]
        keys.append(grid((key_of(tap, lambda about: app.open("ask", about=about)) for tap in named), IN_A_ROW))
        self.fill(app.words["ask"], [Factory.Words(text=app.words["tap-a-space"]), *keys], Overlay())
        self.ids.board.come_near(near)

    def _answer(self, about: str) -> None:
        app = App.get_running_app()
        showing = app.showing
        try:
            answer: Answer = ask(about, showing.game.table.log.session.state, showing.kit, showing.teller)
        except Fault as fault:
            self.fill(app.words["ask"], [Factory.Words(text=str(fault))], Overlay())
            return
        found: list[Part] = [Factory.Words(text=answer.lies)]
        for possible in answer.may:
            others = ", ".join(possible.means[1:])
            means = f"\n{showing.teller.common['ask']['or-with'].format(means=others)}" if others else ""
            found.append(
                Key(text=possible.text + means, halign="left", deed=lambda it=possible: app.open("ask", detail=it))
            )
        for refusal in answer.may_not:
            found.append(
                Key(
                    text=f"{'×' if refusal.judged else '?'} {refusal.text}",
                    halign="left",
                    role="quiet",
                    deed=lambda it=refusal: app.open("ask", detail=it),
                )
            )
        found += [Factory.Words(text=way.text) for way in answer.ways]
        ways = tuple((way.spaces, way.barred is not None) for way in answer.ways)
        self.fill(answer.headline, found, Overlay(chosen=answer.about, ways=ways))

    def _detail(self, detail: Possible | Refusal) -> None:
        app = App.get_running_app()
        if isinstance(detail, Refusal):
            worked = said(detail.clause, app.showing.kit, app.showing.teller).example
            found: list[Part] = [Factory.Words(text=detail.why)]
            if worked is not None:
                found += [Factory.Heading(text=worked.caption), *(Factory.Words(text=line) for line in worked.lines)]
            self.fill(detail.text, found, example_of(worked))
            return
        game = app.showing.teller.game
        at = {game.place(space): space.id for space in app.showing.kit.spaces}
        preview = detail.preview
        found = [Factory.Large(text=preview.totals)] if preview.totals else []
        found += [Factory.Words(text=line) for line in (*preview.lines, *preview.open)]
        found.append(Factory.Faint(text=", ".join(preview.clauses)))
        arrows = tuple((at.get(link.origin, ""), at.get(link.at, ""), str(link.value or "")) for link in preview.steps)
        stops = tuple((at.get(halt.origin, ""), at.get(halt.at, "")) for halt in preview.stops if not halt.quiet)
        self.fill(detail.text, found, Overlay(arrows=arrows, stops=stops, after=preview.after))
