"""The room of a simulated table: the light that falls on it, and the sensor that sees it.

Pixels are float32 and linear in light until the sensor develops them; colour order blue, green, red.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from companion.simulate.optics import Camera, plane_map

Array = np.ndarray[Any, Any]
Generator = np.random.Generator
Colour = tuple[float, float, float]

LIGHTS = ("window", "warm-lamp", "office", "overcast", "dim", "mixed", "lamp-glare")
GRAIN_SPARE_PX = 256  # the stock of noise is larger than a picture by so much: each takes another part
COARSE_PX = 16  # light changes slowly: one value for so many pixels


@dataclass(frozen=True)
class Lamp:
    """A light near the table: `share` of the light under it, falling off with the distance."""

    at_mm: tuple[float, float]
    height_mm: float
    share: float
    cast: Colour


@dataclass(frozen=True)
class Glare:
    """A lamp's or window's mirror image on what is glossy."""

    at_mm: tuple[float, float]
    radius_mm: tuple[float, float]
    strength: float


@dataclass(frozen=True)
class Shade:
    """A shadow of somebody or something that stands in the light: beyond a line, at an angle, it is darker."""

    through_mm: tuple[float, float]
    angle_deg: float
    soft_mm: float
    width_mm: float
    keeps: float


@dataclass(frozen=True)
class Light:
    """All light on the table; `shadow` is how far a shadow's end moves per mm of height (x, y)."""

    name: str = "overcast"
    cast: Colour = (1.0, 1.0, 1.0)
    gradient: tuple[float, float] = (0.0, 0.0)  # relative change over a metre
    lamps: tuple[Lamp, ...] = ()
    glares: tuple[Glare, ...] = ()
    shades: tuple[Shade, ...] = ()
    shadow: tuple[float, float] = (0.3, 0.3)
    shadow_strength: float = 0.35
    softness: float = 0.4  # the half-shadow's width per mm of height
    occlusion: float = 0.0  # the share of it that does not reach the foot of what stands there, wherever it comes from


@dataclass(frozen=True)
class Sensor:
    exposure: float = 0.42  # how bright a white sheet in the middle becomes, 1 is clipped
    vignette: float = 0.2
    blur_px: float = 0.6
    defocus: tuple[float, float, float] = (0.0, 0.0, 0.0)  # more blur: everywhere, to the right, downwards
    motion_px: tuple[float, float] = (0.0, 0.0)
    shot: float = 0.0004  # variance per unit of light
    read: float = 0.002  # standard deviation in the dark
    contrast: float = 1.0
    jpeg: int = 90
    sharpening: float = 0.0  # how much of what a soft picture lacks the camera adds
    curve: float = 1.0  # the power of its tone curve, on levels
    flare: float = 0.0  # light of all of the picture that the lens spreads over it


def light_on(light: Light, camera: Camera) -> tuple[Array, Array]:
    """The light on the table, coarse: gains (rows, columns, 3) and what glare adds (rows, columns), float32."""
    width, height = camera.size_px
    rows = np.minimum(np.arange(COARSE_PX // 2, height + COARSE_PX // 2, COARSE_PX), height - 1)
    columns = np.minimum(np.arange(COARSE_PX // 2, width + COARSE_PX // 2, COARSE_PX), width - 1)
    at = plane_map(camera)[rows[:, None], columns].astype(np.float64)
    x, y = at[..., 0], at[..., 1]
    gx, gy = light.gradient
    even = np.clip(1 + gx * x / 1000 + gy * y / 1000, 0.15, 3)
    total = even[..., None] * np.array(light.cast) * max(0.0, 1 - sum(lamp.share for lamp in light.lamps))
    for lamp in light.lamps:
        away = ((x - lamp.at_mm[0]) ** 2 + (y - lamp.at_mm[1]) ** 2) / lamp.height_mm**2
        total += (lamp.share / (1 + away) ** 1.5)[..., None] * np.array(lamp.cast)
    for shade in light.shades:
        angle = np.radians(shade.angle_deg)
        across = (x - shade.through_mm[0]) * np.cos(angle) + (y - shade.through_mm[1]) * np.sin(angle)
        inside = _step(across / shade.soft_mm) * (1 - _step((across - shade.width_mm) / shade.soft_mm))
        total *= (1 - (1 - shade.keeps) * inside)[..., None]
    shine = np.zeros(x.shape)
    for glare in light.glares:
        dx, dy = (x - glare.at_mm[0]) / glare.radius_mm[0], (y - glare.at_mm[1]) / glare.radius_mm[1]
        shine += glare.strength * np.exp(-0.5 * (dx * dx + dy * dy))
    return total.astype(np.float32), shine.astype(np.float32)


def _step(x: Array) -> Array:
    return np.asarray(0.5 + 0.5 * np.tanh(np.clip(x, -20, 20)))


@lru_cache(maxsize=1)
def grain(height: int, width: int) -> Array:
    """A stock of a sensor's noise: (height, width, 3) float32, deviation 1; neighbours hang together a little."""
    raw = np.random.default_rng(7).standard_normal((height, width, 3), np.float32)
    soft = cv2.GaussianBlur(raw, (0, 0), 0.6)
    return np.asarray(soft / soft.std(), np.float32)


@dataclass(frozen=True, eq=False)
class Falling:
    """What a picture's pixels get of the light and lose in the lens; the parts are as large as the picture."""

    lit: Array  # (height, width, 3) float32: the light on the table, times the exposure
    shine: Array | None  # (height, width) float32: what glare adds
    soft: Array | None  # (height, width) float32: how much each pixel is out of focus, 0 to 1

    def cut(self, window: tuple[slice, slice]) -> Falling:
        shine, soft = (None if part is None else part[window] for part in (self.shine, self.soft))
        return Falling(self.lit[window], shine, soft)


def falling(camera: Camera, light: Light, sensor: Sensor) -> Falling:
    width, height = camera.size_px
    gains, shine = light_on(light, camera)
    rows, columns = gains.shape[:2]
    y, x = np.mgrid[:rows, :columns].astype(np.float32)
    u, v = 2 * x / max(1, columns - 1) - 1, 2 * y / max(1, rows - 1) - 1
    fall = 1 - sensor.vignette * (u * u + v * v) / 2
    whole = (columns * COARSE_PX, rows * COARSE_PX)
    lit = cv2.resize(gains * (fall * sensor.exposure)[..., None], whole)[:height, :width]
    shown = cv2.resize(shine * fall * sensor.exposure, whole)[:height, :width] if light.glares else None
    everywhere, right, down = sensor.defocus
    soft = None
    if max(map(abs, sensor.defocus)) >= 0.02:
        share = np.clip(np.abs(everywhere + right * u + down * v), 0, 1)
        soft = cv2.resize(share.astype(np.float32), whole)[:height, :width]
    return Falling(lit, shown, soft)


def exposed(linear: Array, falls: Falling, sensor: Sensor, glossy: Array) -> Array:
    """The light that meets the sensor, (height, width, 3) float32, of what things reflect; `linear` is used up."""
    linear *= falls.lit
    if falls.shine is not None:
        linear += (falls.shine * glossy * np.float32(1 / 255))[..., None]
    return _blurred(linear, falls.soft, sensor)


def developed(linear: Array, camera: Camera, light: Light, sensor: Sensor, glossy: Array, random: Generator) -> Array:
    """The picture that the sensor makes of lit things: (height, width, 3) uint8.

    `linear` (height, width, 3) float32 holds what the things reflect and is used up; `glossy` (height, width) uint8
    is 255 where glare shows.
    """
    height, width = linear.shape[:2]
    linear = exposed(linear, falling(camera, light, sensor), sensor, glossy)
    bank = grain(height + GRAIN_SPARE_PX, width + GRAIN_SPARE_PX)
    top, left = (int(value) for value in random.integers(0, GRAIN_SPARE_PX, 2))
    noise = np.maximum(linear, 0)
    noise *= np.float32(sensor.shot)
    noise += np.float32(sensor.read**2)
    cv2.sqrt(noise, noise)
    noise *= bank[top : top + height, left : left + width]
    linear += noise
    return printed(linear, sensor)


def printed(linear: Array, sensor: Sensor) -> Array:
    """What a camera makes of the light that met its sensor, (h, w, 3) float32, which is used up: (h, w, 3) uint8."""
    pixels = _rooted(linear, sensor)
    if sensor.sharpening:
        pixels = sharpened(pixels, sensor)
    if sensor.curve != 1 or sensor.flare:
        pixels = cv2.LUT(pixels, np.round(tone(np.arange(256), sensor)).astype(np.uint8))
    return pixels


def sharpened(picture: Array, sensor: Sensor) -> Array:
    """A picture with more of what a soft copy of it lacks, in its own type."""
    soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
    return np.asarray(cv2.addWeighted(picture, 1 + sensor.sharpening, soft, -sensor.sharpening, 0))


def tone(levels: Array, sensor: Sensor) -> Array:
    """The camera's tone curve with the flare of its lens: levels 0 to 255 in and out, float64."""
    light = (levels / 255) ** 2.2
    return np.asarray(255 * ((light + sensor.flare) / (1 + sensor.flare)) ** (sensor.curve / 2.2))


def _blurred(linear: Array, share: Array | None, sensor: Sensor) -> Array:
    """The lens's and the hand's blur; what is out of focus is mixed in by its share (h, w)."""
    mx, my = sensor.motion_px
    length = float(np.hypot(mx, my))
    if length > 0.5:
        size = 2 * int(np.ceil(length / 2)) + 3
        kernel = np.zeros((size * 8, size * 8), np.uint8)
        middle = np.array([size * 4 - 0.5, size * 4 - 0.5])
        ends = [middle - np.array([mx, my]) * 4, middle + np.array([mx, my]) * 4]
        cv2.line(kernel, tuple(ends[0].astype(int).tolist()), tuple(ends[1].astype(int).tolist()), 255, 8)
        small = cv2.resize(kernel, (size, size), interpolation=cv2.INTER_AREA).astype(np.float32)
        linear = cv2.filter2D(linear, -1, small / small.sum())
    sharp = _softened(linear, sensor.blur_px) if sensor.blur_px > 0.25 else linear
    if share is None:
        return np.asarray(sharp)
    soft = _softened(linear, sensor.blur_px + 1.1)
    soft -= sharp
    soft *= cv2.cvtColor(share, cv2.COLOR_GRAY2BGR)
    soft += sharp
    return soft


def _softened(linear: Array, sigma_px: float) -> Array:
    size = 2 * int(np.ceil(2.5 * sigma_px)) + 1
    return np.asarray(cv2.GaussianBlur(linear, (size, size), sigma_px))


def _rooted(linear: Array, sensor: Sensor) -> Array:
    """Gamma, contrast and JPEG."""
    # A root in float keeps the dark parts; the small rest of the curve is a table.
    np.maximum(linear, 0, out=linear)
    rooted = cv2.convertScaleAbs(cv2.sqrt(linear, linear), alpha=255)
    curve = np.rint(255 * (np.arange(256) / 255) ** (sensor.contrast / 1.1)).astype(np.uint8)
    pixels = np.asarray(cv2.LUT(rooted, curve))
    if sensor.jpeg >= 100:
        return pixels
    _, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))


CASTS: dict[str, Colour] = {
    "window": (1.12, 1.0, 0.93),
    "warm-lamp": (0.66, 0.94, 1.2),
    "office": (0.92, 1.06, 0.98),
    "overcast": (1.05, 1.0, 0.98),
    "dim": (0.75, 0.95, 1.12),
    "mixed": (1.0, 1.0, 1.0),
    "lamp-glare": (0.75, 0.96, 1.12),
}


def random_light(random: Generator, middle_mm: Array, span_mm: float, name: str | None = None) -> Light:
    """Light of a kind (any, if not named) over a table whose things lie within `span` of `middle` (2,)."""
    name = name or str(random.choice(LIGHTS))
    cast = np.array(CASTS[name]) * random.uniform(0.95, 1.05, 3)
    x, y = (float(value) for value in middle_mm)

    def near(reach: float) -> tuple[float, float]:
        dx, dy = random.uniform(-reach, reach, 2) * span_mm
        return x + float(dx), y + float(dy)

    steep = {"window": 0.9, "mixed": 0.6, "overcast": 0.25, "office": 0.2}.get(name, 0.3)
    way = random.uniform(0, 2 * np.pi)
    slope = random.uniform(0.3, 1) * steep
    gradient = (float(np.cos(way) * slope), float(np.sin(way) * slope))
    lamps: tuple[Lamp, ...] = ()
    if name in ("warm-lamp", "dim", "mixed", "lamp-glare"):
        warm = np.array((0.6, 0.92, 1.22)) * random.uniform(0.95, 1.05, 3)
        height = float(random.uniform(450, 1100))
        lamps = (Lamp(near(1.0), height, float(random.uniform(0.3, 0.7)), _colour(warm)),)
    glares: tuple[Glare, ...] = ()
    count = {"lamp-glare": int(random.integers(1, 4)), "window": 1, "office": 2}.get(name, 0)
    strength = 0.5 if name == "lamp-glare" else 0.15
    if name == "lamp-glare" or random.random() < 0.5:
        glares = tuple(
            Glare(near(0.5), _pair(random.uniform(0.05, 0.22, 2) * span_mm), float(random.uniform(0.15, 1) * strength))
            for _ in range(count)
        )
    shades: tuple[Shade, ...] = ()
    if random.random() < 0.3:
        shades = (
            Shade(
                near(0.5),
                float(random.uniform(0, 360)),
                float(random.uniform(3, 40)),
                float(random.uniform(0.15, 1.0) * span_mm),
                float(random.uniform(0.5, 0.85)),
            ),
        )
    hard = name in ("warm-lamp", "lamp-glare", "dim")
    throw = random.uniform(0.2, 0.8)
    return Light(
        name,
        _colour(cast),
        gradient,
        lamps,
        glares,
        shades,
        (float(throw * np.cos(way)), float(throw * np.sin(way))),
        float(random.uniform(0.4, 0.75) if hard else random.uniform(0.2, 0.5)),
        float(random.uniform(0.1, 0.4) if hard else random.uniform(0.4, 1.2)),
    )


def random_sensor(random: Generator, light: str = "") -> Sensor:
    """A sensor as good as cheap cameras are; worse in dim light."""
    dim = light == "dim"
    gain = random.uniform(2, 5) if dim else random.uniform(0.5, 2.5)
    soft = random.random() < 0.4
    defocus = random.uniform(-0.6, 0.6, 3) if soft else np.zeros(3)
    motion = random.normal(0, 0.8, 2) if random.random() < 0.1 else np.zeros(2)
    return Sensor(
        float(random.uniform(0.16, 0.4) if dim else random.uniform(0.38, 1.0)),
        float(random.uniform(0.05, 0.4)),
        float(random.uniform(0.45, 0.9)),
        _colour(defocus),
        _pair(motion),
        float(0.0003 * gain),
        float(0.0012 * gain),
        float(random.uniform(0.9, 1.15)),
        int(random.integers(80, 96)),
        *_processing(random),
    )


def _processing(random: Generator) -> tuple[float, float, float]:
    """Sharpening, tone curve and flare of a camera: some give pictures as they are, most do not."""
    if random.random() < 0.3:
        return 0.0, 1.0, 0.0
    return float(random.uniform(0, 1.3)), float(random.uniform(0.85, 1.25)), float(random.uniform(0, 0.03))


def _pair(values: Array) -> tuple[float, float]:
    a, b = (float(value) for value in values)
    return a, b


def _colour(values: Array) -> Colour:
    a, b, c = (float(value) for value in values)
    return a, b, c
