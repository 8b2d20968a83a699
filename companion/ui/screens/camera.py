"""What the camera sees, with what was read drawn onto it: live, a few times a second, and only while it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.graphics.texture import Texture
from kivy.lang import Builder
from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.ui.showing import Showing
from companion.ui.view.wording import capital

FRAMES_A_SECOND = 10


class CameraScreen(Screen):
    texture = ObjectProperty(None, allownone=True)
    title, missing = StringProperty(), StringProperty()

    _drawn: Any = None  # the picture in the texture

    def show(self) -> None:
        showing: Showing = App.get_running_app().showing
        self.title = capital(showing.view.sight)
        self.missing = showing.teller.common["view"]["no-picture"]
        self._showing = showing
        self._draw(0.0)

    def on_enter(self, *_: object) -> None:
        self._clock = Clock.schedule_interval(self._draw, 1 / FRAMES_A_SECOND)

    def on_leave(self, *_: object) -> None:
        self._clock.cancel()

    def _draw(self, _: float) -> None:
        """The newest picture, once, in the one texture that there is for its size."""
        pixels: Any = App.get_running_app().house.picture()
        self.title = capital(self._showing.view.sight)
        if pixels is not None and pixels is not self._drawn:
            self._drawn = pixels
            self._upload(pixels)

    def _upload(self, pixels: Any) -> None:
        """(height, width, 3) uint8 BGR."""
        size = (pixels.shape[1], pixels.shape[0])
        if self.texture is None or self.texture.size != size:
            self.texture = Texture.create(size=size, colorfmt="bgr")
            self.texture.flip_vertical()
        self.texture.blit_buffer(pixels.reshape(-1), colorfmt="bgr", bufferfmt="ubyte")
        self.canvas.ask_update()


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
