"""What becomes of the light at the edges of pieces: rounded rims that catch it, and cracks that it does not reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.simulate.canvas import Canvas, hull_of, outward, polygon_mask, shrunk_polygons, soft_mask
from companion.simulate.room import Light

Array = np.ndarray[Any, Any]

MOST_OF_SIDE, MOST_OF_HEIGHT = 0.3, 0.5  # of half a piece's width, and of its height, that its rim takes
TONE = 100  # the grey that stands for as much light as falls on what lies flat
BRIGHTEST = 2.5  # times as much as that
FAR = 0.45  # of its height: how far around a piece the light is kept off, as one standard deviation


@dataclass(frozen=True)
class Make:
    """How the edges of all pieces of a copy are made."""

    rim_mm: float = 0.0  # how wide the slanting rim of the upper face is
    printed: bool = False  # whether the picture runs on over it, or it has the sides' colour
    gloss: float = 0.0  # how much more of a lamp's light a rim throws back that faces it
    dyed: bool = False  # whether thin pieces' sides have the colour of their edge, not that of cardboard


def random_make(random: np.random.Generator) -> Make:
    """As pieces are made: punched from card, cut, turned, cast."""
    rim = float(random.uniform(0.15, 1.2)) if random.random() < 0.65 else 0.0
    gloss = float(random.uniform(0.2, 1.5)) if random.random() < 0.5 else 0.0
    return Make(rim, bool(random.random() < 0.5), gloss, bool(random.random() < 0.5))


def light_on_slopes(light: Light, normals: Array, gloss: float = 0.0) -> Array:
    """The light on slopes of 45° that face (n, 2), in parts of what falls on what lies flat: (n,)."""
    slant = normals @ -np.array(light.shadow, float)  # the tangent of the lamp's angle from above, towards the slope
    direct = np.maximum(1 + slant, 0) * np.sqrt(0.5)
    steep = float(np.hypot(*light.shadow))
    towards = slant / steep if steep > 0.05 else np.zeros(len(normals))
    glint = gloss * light.shadow_strength * np.maximum(towards, 0) ** 6
    shared = (1 - light.shadow_strength) * (1 - 0.5 * light.occlusion)
    return np.asarray(light.shadow_strength * direct + shared + glint)


def paint_rim(
    canvas: Canvas, outline_mm: Array, top_mm: float, height_mm: float, side: Array, make: Make, owner: int
) -> None:
    """The slanting rim of a convex upper face (n, 2), once the face itself is painted."""
    middle, normal = outline_mm.mean(axis=0), outward(outline_mm)
    inner_radius = float(np.abs((normal * (outline_mm - middle)).sum(axis=1)).min())
    wide = min(make.rim_mm, MOST_OF_SIDE * inner_radius, MOST_OF_HEIGHT * height_mm)
    within = middle + (outline_mm - middle) * (1 - wide / inner_radius)
    outer, inner = canvas.camera.project(outline_mm, top_mm), canvas.camera.project(within, top_mm)
    window = canvas.window(outer)
    if window is None:
        return
    gains = np.clip(light_on_slopes(canvas.light, normal, make.gloss), 0, BRIGHTEST)
    tones = [(hull_of(outer), TONE)]
    for i, gain in enumerate(gains):
        j = (i + 1) % len(outer)
        tones.append((np.array([outer[i], outer[j], inner[j], inner[i]]), round(TONE * float(gain))))
    whole = polygon_mask(hull_of(outer), window)
    tone = shrunk_polygons(tones, window) * np.float32(1 / TONE)
    tone /= np.maximum(whole * np.float32(1 / 255), np.float32(0.05))  # at the edge it is the rim's, not less
    ring = shrunk_polygons([(hull_of(outer), 255), (hull_of(inner), 0)], window)
    colour = canvas.linear[window] if make.printed else np.broadcast_to(side, (*ring.shape, 3))
    canvas.blend(window, colour * np.minimum(tone, np.float32(BRIGHTEST))[..., None], ring, owner)


def occlude(canvas: Canvas, outline_mm: Array, base_mm: float, height_mm: float) -> None:
    """Take the light away that a piece keeps off what it stands on, all around it (its foot (n, 2))."""
    if not canvas.light.occlusion:
        return
    camera = canvas.camera
    seen = hull_of(camera.project(outline_mm, base_mm))
    sigma = min(60.0, max(0.7, FAR * height_mm * camera.focal_px / float(camera.place_mm[2])))
    window = canvas.window(seen, 2.5 * sigma + 1)
    if window is not None:
        canvas.darken(window, soft_mask(polygon_mask(seen, window), sigma), canvas.light.occlusion)
