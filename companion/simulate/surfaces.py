"""Table tops: wood, cloth, carpet and the like, as the camera sees them bare.  Colour order blue, green, red."""

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

SURFACES = ("wood", "dark wood", "cloth", "plain", "carpet", "marble", "checked")
TEXTURE_PX = 1024
TEXTURE_PX_PER_MM = 1.6


@dataclass(frozen=True)
class Surface:
    """What the table is made of; `tint` are gains of blue, green, red."""

    kind: str = "wood"
    seed: int = 0
    tint: Colour = (1.0, 1.0, 1.0)
    turn_deg: float = 0.0


def noise_field(random: Generator, size_px: int, scale_x: float, scale_y: float) -> Array:
    """Smooth noise that repeats without a seam: (size, size) float32, mean 0, deviation 1."""
    spectrum = np.fft.rfft2(random.standard_normal((size_px, size_px)))
    fy = np.fft.fftfreq(size_px)[:, None] * scale_y
    fx = np.fft.rfftfreq(size_px)[None, :] * scale_x
    field = np.fft.irfft2(spectrum * np.exp(-2 * np.pi**2 * (fx**2 + fy**2)), s=(size_px, size_px))
    return np.asarray(field / field.std(), np.float32)


def _wood(random: Generator, dark: bool) -> Array:
    n = TEXTURE_PX
    base = np.array([28, 48, 82] if dark else [62, 98, 142], np.float32)
    base = base * (1 + random.uniform(-0.12, 0.12, 3).astype(np.float32))
    grain = 0.55 * noise_field(random, n, 1.2, 90) + 0.5 * noise_field(random, n, 5, 220)
    rings = np.sin(noise_field(random, n, 60, 500) * 5 + noise_field(random, n, 3, 150) * 0.6)
    tone = 1 + 0.10 * grain + 0.09 * rings
    planks = int(random.integers(6, 13))
    edges = np.sort(random.uniform(0, n, planks)).astype(int)
    number = np.searchsorted(edges, np.arange(n)) % planks
    tone = tone * (1 + random.uniform(-0.13, 0.13, planks).astype(np.float32))[number][None, :]
    for edge in edges:
        tone[:, edge : edge + 2] *= 0.55
    return np.asarray(tone[..., None] * base)


def _woven(random: Generator) -> Array:
    n = TEXTURE_PX
    base = random.uniform(35, 200, 3).astype(np.float32)
    y, x = np.mgrid[:n, :n].astype(np.float32)
    period = n / round(n / random.uniform(3.0, 6.0))
    weave = np.sin(2 * np.pi * x / period) * np.sin(2 * np.pi * y / period)
    threads = noise_field(random, n, 0.5, 25) + noise_field(random, n, 25, 0.5)
    folds = noise_field(random, n, 130, 200)
    return np.asarray((1 + 0.10 * weave + 0.05 * threads + 0.05 * folds)[..., None] * base)


def _plain(random: Generator) -> Array:
    base = random.choice([[205, 210, 212], [120, 122, 125], [42, 40, 40], [60, 110, 60], [110, 80, 50]])
    tone = 1 + 0.012 * noise_field(random, TEXTURE_PX, 2, 2) + 0.02 * noise_field(random, TEXTURE_PX, 60, 60)
    return np.asarray(tone[..., None] * np.asarray(base, np.float32))


def _carpet(random: Generator) -> Array:
    base = (random.uniform(50, 140) * random.uniform(0.75, 1.25, 3)).astype(np.float32)
    tone = 1 + 0.22 * noise_field(random, TEXTURE_PX, 1.1, 1.1) + 0.1 * noise_field(random, TEXTURE_PX, 5, 5)
    speckle = noise_field(random, TEXTURE_PX, 1.5, 1.5)[..., None] * random.uniform(-12, 12, 3).astype(np.float32)
    return np.asarray(tone[..., None] * base + speckle)


def _marble(random: Generator) -> Array:
    veins = np.abs(noise_field(random, TEXTURE_PX, 70, 90) + 0.4 * noise_field(random, TEXTURE_PX, 16, 16))
    tone = 1 - 0.35 * np.exp(-((veins / 0.12) ** 2)) + 0.04 * noise_field(random, TEXTURE_PX, 40, 40)
    base = random.choice([[200, 205, 210], [60, 64, 66], [120, 150, 170]])
    return np.asarray(tone[..., None] * np.asarray(base, np.float32))


def _checked(random: Generator) -> Array:
    """A checked table cloth."""
    n, one, other = TEXTURE_PX, random.uniform(30, 220, 3), random.uniform(150, 235, 3)
    count = 2 * int(random.integers(10, 26))
    stripe = np.sin(2 * np.pi * np.arange(n) * count / 2 / n) > 0
    share = (stripe[:, None].astype(np.float32) + stripe[None, :]) / 2
    cloth = 1 + 0.04 * noise_field(random, n, 0.7, 3) + 0.04 * noise_field(random, n, 120, 120)
    return (cloth * (1 - share))[..., None] * other + (cloth * share)[..., None] * one


@lru_cache(maxsize=16)
def surface_texture(kind: str, seed: int) -> Array:
    """A table top that repeats without a seam: (n, n, 3) uint8 at TEXTURE_PX_PER_MM."""
    random = np.random.default_rng([seed, SURFACES.index(kind)])
    makers = {"cloth": _woven, "plain": _plain, "carpet": _carpet, "marble": _marble, "checked": _checked}
    made = _wood(random, kind == "dark wood") if "wood" in kind else makers[kind](random)
    return np.asarray(np.clip(made, 0, 255), np.uint8)


def surface_seen(surface: Surface, camera: Camera) -> Array:
    """The bare table as the camera's pixels meet it: (height, width, 3) float32, linear."""
    angle = np.radians(surface.turn_deg)
    c, s = np.cos(angle) * TEXTURE_PX_PER_MM, np.sin(angle) * TEXTURE_PX_PER_MM
    shift = 0.5 * TEXTURE_PX  # any point of the texture will do
    at = cv2.transform(plane_map(camera), np.array([[c, -s, shift], [s, c, shift]]))
    texture = surface_texture(surface.kind, surface.seed)
    whole, fine = cv2.convertMaps(at, None, cv2.CV_16SC2)  # type: ignore[call-overload]
    seen = cv2.remap(texture, whole, fine, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    tinted = _LINEAR[:, None] * np.array(surface.tint, np.float32)
    return np.asarray(cv2.LUT(seen, tinted[None]))


def to_linear(pixels: Array) -> Array:
    """uint8 of an sRGB picture as float32 that is linear in light, 0 to 1."""
    return np.asarray(cv2.LUT(pixels, _LINEAR))


def _linear_table() -> Array:
    share = np.arange(256) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4).astype(np.float32)


_LINEAR = _linear_table()


def random_surface(random: Generator) -> Surface:
    kind = str(random.choice(SURFACES, p=[0.26, 0.18, 0.14, 0.16, 0.1, 0.08, 0.08]))
    grey, *rest = random.uniform(0.75, 1.25), *random.uniform(0.9, 1.1, 3)
    blue, green, red = (float(grey * value) for value in rest)
    return Surface(kind, int(random.integers(2)), (blue, green, red), float(random.uniform(0, 360)))
