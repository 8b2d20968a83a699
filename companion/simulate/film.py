"""The camera of a table that lives: what stays from frame to frame is painted and developed once.

A frame of a still table costs its noise; one with a hand in it, what the hand and its shadow touch besides; one in
which pieces have changed, a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import cv2
import numpy as np

from companion.kit import Kit
from companion.simulate.canvas import Canvas, Finish, paint_picture, picture_file, random_finish
from companion.simulate.lying import Placements
from companion.simulate.optics import Camera
from companion.simulate.render import Room, Standing, StillLife, glossy, paint, truth_of
from companion.simulate.room import (
    GRAIN_SPARE_PX,
    Falling,
    Light,
    Sensor,
    exposed,
    falling,
    grain,
    printed,
    sharpened,
    tone,
)
from companion.simulate.surfaces import Surface
from companion.simulate.things import Beside, Hand, StandingDie, paint_hand
from companion.simulate.tumbling import Tumbling, paint_tumbling

Array = np.ndarray[Any, Any]
Generator = np.random.Generator
Window = tuple[slice, slice]

LENS_PX = 12  # how far blur and sharpening reach
STEADY = (1.0, 1.0, 1.0)
GRAIN_STEP, SPREAD_STEP = 28.0, 16.0  # noise is kept in whole numbers: of a deviation, and of a level
NO_JPEG = 100


@dataclass(frozen=True)
class Carried:
    """A piece in a hand."""

    piece: str
    at_mm: tuple[float, float]
    turn_deg: float
    height_mm: float


@dataclass(frozen=True, eq=False)
class Scene:
    """All that the camera could see at an instant."""

    placements: Placements
    light: Light
    dice: tuple[StandingDie, ...] = ()
    things: tuple[Beside, ...] = ()
    hands: tuple[Hand, ...] = ()
    carried: tuple[Carried, ...] = ()
    tumbling: tuple[Tumbling, ...] = ()
    drift: tuple[float, float, float] = STEADY  # gains of blue, green, red
    fading: tuple[Light, float] | None = None  # the light that comes, and how much of it is there


@dataclass(frozen=True, eq=False)
class _Still:
    """A table on which nothing moves: painted, and as the sensor sees it but for noise."""

    scene: Scene
    life: StillLife
    falls: Falling
    developed: Array  # (height, width, 3) uint8
    truth: dict[str, Any]

    def shows(self, scene: Scene, light: Light) -> bool:
        mine = self.scene
        return (
            mine.placements is scene.placements
            and (mine.dice is scene.dice or mine.dice == scene.dice)
            and mine.things == scene.things
            and mine.light == light
        )


class Film:
    """Takes the frames of one table with one camera; `seed` gives each piece its finish."""

    def __init__(self, kit: Kit, camera: Camera, surface: Surface, sensor: Sensor, seed: int) -> None:
        self.kit, self.camera, self.surface, self.seed = kit, camera, surface, seed
        self.sensor = replace(sensor, jpeg=NO_JPEG)
        self._stills: list[_Still] = []
        self._over: Canvas | None = None  # a still table with what moves over it,
        self._under: _Still | None = None  # and which it is
        self._pieces = {piece.name: piece for piece in kit.pieces}
        self._finishes: dict[tuple[int, str], Finish] = {}
        width, height = camera.size_px
        bank = grain(height + GRAIN_SPARE_PX, width + GRAIN_SPARE_PX)
        if sensor.sharpening:
            bank = sharpened(bank, sensor)
        deviation = float(bank[::7].std())  # sharpening makes noise stronger
        self._grain = np.clip(np.rint(bank * (GRAIN_STEP / deviation)), -127, 127).astype(np.int8)
        self._levels, spreads = _response(self.sensor)
        self._spreads = np.clip(np.rint(spreads * (deviation * SPREAD_STEP)), 0, 255).astype(np.uint8)

    def shoot(self, scene: Scene, random: Generator) -> tuple[Array, dict[str, Any]]:
        """A frame, (height, width, 3) uint8 BGR, and its truth in the form of the scenes' truth files."""
        still = self._still(scene, scene.light)
        pixels, truth = still.developed, still.truth
        if scene.hands or scene.carried or scene.tumbling:
            pixels, truth = self._with_what_moves(still, scene)
        if scene.fading:
            light, share = scene.fading
            pixels = cv2.addWeighted(pixels, 1 - share, self._still(scene, light).developed, share, 0)
        if scene.drift != STEADY:
            pixels = cv2.LUT(pixels, self._drifted(scene.drift))
        return self._noisy(pixels, random), truth

    def _still(self, scene: Scene, light: Light) -> _Still:
        found = next((still for still in self._stills if still.shows(scene, light)), None)
        if found is None:
            falls = next((still.falls for still in self._stills if still.scene.light == light), None)
            falls = falls or falling(self.camera, light, self.sensor)
            room = Room(self.surface, light, self.sensor, (), scene.things)
            life = paint(self.kit, scene.placements, scene.dice, self.camera, room, self._finish)
            truth = truth_of(self.kit, scene.placements, life, room)
            at_rest = Scene(scene.placements, light, scene.dice, scene.things)
            found = _Still(at_rest, life, falls, self._developed_after(life.canvas, falls), truth)
            kept = 1 if scene.fading is None else 2
            self._stills = [*self._stills, found][-kept:]
        return found

    def _finish(self, standing: Standing) -> Finish:
        """Of a piece on a space: the same whenever it lies there."""
        key = standing.owner, standing.piece.name
        if key not in self._finishes:
            number = crc32(standing.piece.name.encode())
            self._finishes[key] = random_finish(np.random.default_rng([self.seed, key[0] & 0xFFFF, number]))
        return self._finishes[key]

    def _with_what_moves(self, still: _Still, scene: Scene) -> tuple[Array, dict[str, Any]]:
        canvas = self._canvas_over(still)
        if scene.tumbling:
            paint_tumbling(canvas, scene.tumbling)
        for carried in scene.carried:
            self._paint_carried(canvas, carried)
        for hand in scene.hands:
            paint_hand(canvas, hand)
        room = Room(self.surface, scene.light, self.sensor, scene.hands, scene.things)
        truth = truth_of(self.kit, scene.placements, replace(still.life, canvas=canvas), room)
        return self._developed(canvas, still.falls, canvas.touched, still.developed), truth

    def _developed_after(self, canvas: Canvas, falls: Falling) -> Array:
        """A canvas as the sensor sees it; under the light of the last still table only what differs from that."""
        last = next((still for still in self._stills if still.falls is falls), None)
        if last is None:
            return printed(exposed(canvas.linear.copy(), falls, self.sensor, glossy(canvas)), self.sensor)
        differs = cv2.transform(cv2.absdiff(canvas.linear, last.life.canvas.linear), np.ones((1, 3)))
        rows, columns = (np.flatnonzero(cv2.reduce(differs, axis, cv2.REDUCE_MAX)) for axis in (1, 0))
        if not rows.size:
            return last.developed
        window = slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
        return self._developed(canvas, falls, [window], last.developed)

    def _developed(self, canvas: Canvas, falls: Falling, windows: Sequence[Window], elsewhere: Array) -> Array:
        """A picture that is known elsewhere, with what was painted in some windows."""
        pixels = elsewhere.copy()
        if windows:
            window = _around(windows, LENS_PX, canvas.owner.shape)
            wider = _around([window], LENS_PX, canvas.owner.shape)
            part = replace(canvas, linear=canvas.linear[wider].copy(), owner=canvas.owner[wider])
            linear = exposed(part.linear, falls.cut(wider), self.sensor, glossy(part))
            inside = tuple(
                slice(inner.start - outer.start, inner.stop - outer.start)
                for inner, outer in zip(window, wider, strict=True)
            )
            pixels[window] = printed(linear, self.sensor)[inside]
        return pixels

    def _canvas_over(self, still: _Still) -> Canvas:
        """The still table to paint over; what was painted there for the frame before is taken off."""
        bare, over = still.life.canvas, self._over
        if over is None or self._under is not still:
            over, self._under = Canvas(bare.linear.copy(), bare.owner.copy(), self.camera, bare.light), still
        for window in over.touched:
            over.linear[window] = bare.linear[window]
            over.owner[window] = bare.owner[window]
        self._over = replace(over, touched=[])
        return self._over

    def _paint_carried(self, canvas: Canvas, carried: Carried) -> None:
        piece = self._pieces[carried.piece]
        picture = picture_file(piece.image, piece.size_mm, piece.shape)
        paint_picture(canvas, picture, carried.at_mm, carried.turn_deg, carried.height_mm, -1)

    def _drifted(self, gains: tuple[float, float, float]) -> Array:
        """A table of levels under so much more light, for cv2.LUT."""
        light, level = self._levels
        under = np.interp(np.arange(256), level, light)
        tables = [np.interp(np.minimum(under * gain, light[-1]), light, level) for gain in gains]
        return np.asarray(np.rint(np.stack(tables, axis=-1)).astype(np.uint8)[None])

    def _noisy(self, pixels: Array, random: Generator) -> Array:
        height, width = pixels.shape[:2]
        top, left = (int(value) for value in random.integers(0, GRAIN_SPARE_PX, 2))
        spread = cv2.LUT(pixels, self._spreads)
        noise = cv2.multiply(
            self._grain[top : top + height, left : left + width],
            spread,
            scale=1 / (GRAIN_STEP * SPREAD_STEP),
            dtype=cv2.CV_16S,
        )
        return np.asarray(cv2.add(pixels, noise, dtype=cv2.CV_8U))


def _around(windows: Sequence[Window], margin_px: int, shape: tuple[int, ...]) -> Window:
    """The rows and columns that hold all windows and a margin."""
    rows, columns = (
        slice(
            max(0, min(window[axis].start for window in windows) - margin_px),
            min(shape[axis], max(window[axis].stop for window in windows) + margin_px),
        )
        for axis in (0, 1)
    )
    return rows, columns


def _response(sensor: Sensor) -> tuple[tuple[Array, Array], Array]:
    """The sensor's levels for amounts of light, both (N,), and the noise's deviation in levels at each level (256,)."""
    light = np.linspace(0, 1.02, 4097) ** 2
    level = 255 * np.minimum(1, np.sqrt(light)) ** (sensor.contrast / 1.1)
    if sensor.curve != 1 or sensor.flare:
        level = tone(level, sensor)
    steep = np.gradient(level, light)
    deviation = np.sqrt(sensor.shot * light + sensor.read**2)
    # Close to black the curve is steeper than the noise is small: it is taken over the noise's own width.
    steep = np.minimum(steep, np.interp(light + deviation, light, level) / np.maximum(light + deviation, 1e-9))
    return (light, level), np.interp(np.arange(256), level, deviation * steep)
