"""The checks of `companion doctor`, one after another: each is a thing that can be wrong, with what to do about it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

from companion import __version__
from companion.commands import own_kit
from companion.commands.cameras import Source, camera_of
from companion.commands.games import shelf
from companion.commands.own_camera import name_of, profile_path, settings_set
from companion.commands.words import all_faults
from companion.config import PanelSettings, config, home
from companion.document import Fault
from companion.games import NAMES
from companion.observation import Frame, NotSeen
from companion.rules import LANGUAGES
from companion.store.shelf import Kept
from companion.ui.view.health import BAD, FINE, LIMITS, UNKNOWN, WATCH, Item, health
from companion.words import filled, words

OLDEST = (3, 11)
MODULES = {"eye": ("numpy", "cv2", "PIL"), "screen": ("kivy",), "panel": ("gpiozero", "lgpio"), "pi": ("picamera2",)}
NEEDED = ("eye",)  # of these; without the others something else serves
FRAMES, READS = 12, 150  # pictures that tell how a camera is, and how often it is asked for them at most
Checked = tuple[str, Item]


def checkup(camera: Callable[[], Source], language: str) -> Iterator[Checked]:
    """Every check as soon as it is done: a key and an item."""
    told = words("companion", language)["doctor"]
    yield from _software(told)
    yield from _settings(told)
    yield from _storage(told, language)
    yield from _kits(told)
    yield _words(told)
    yield from _panel(told)
    frame = None
    for key, item, found in _camera(camera, told, language):
        frame = found or frame
        yield key, item
    yield from _machine(frame, told, language)


def _item(told: Mapping[str, Any], key: str, state: str, found: str, to_do: str = "") -> Checked:
    remedy = to_do or told["to-do"].get(key, "")
    return key, Item(told["name"][key], state, told["sign"][state], found, "" if state == FINE else remedy)


def _software(told: Mapping[str, Any]) -> Iterator[Checked]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield _item(told, "python", FINE if sys.version_info >= OLDEST else BAD, f"{python}, companion {__version__}")
    for part, modules in MODULES.items():
        missing = [module for module in modules if find_spec(module) is None]
        state = FINE if not missing else BAD if part in NEEDED else WATCH
        yield _item(told, part, state, told["missing"].format(modules=", ".join(missing)) if missing else "")


def _settings(told: Mapping[str, Any]) -> Iterator[Checked]:
    try:
        config()
    except Fault as fault:
        yield _item(told, "settings", BAD, str(fault))
    else:
        yield _item(told, "settings", FINE, str(home() / "config.toml"))


def _storage(told: Mapping[str, Any], language: str) -> Iterator[Checked]:
    """Whether games can be kept, and those that are can be read."""
    folder = next(filter(os.path.exists, (home(), *home().absolute().parents)))  # whatever its name is
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"companion")
            file.flush()
            begun_s = monotonic()
            os.fsync(file.fileno())
            seconds = monotonic() - begun_s
    except OSError as error:
        yield _item(told, "storage", BAD, f"{folder}: {error.strerror or error}")
    else:
        measured = filled(told["storage-takes"], language, folder=home(), seconds=seconds)
        yield _item(told, "storage", LIMITS["saving_s"].state(seconds), measured, told["to-do"]["storage-slow"])
    found = _games()
    faults = [str(game) for game in found if not isinstance(game, Kept)]
    yield _item(told, "games", BAD if faults else FINE, "; ".join(faults) or str(len(found)))


def _games() -> list[Kept | Fault]:
    """Those that are kept; of what cannot be read, why."""
    try:
        return list(shelf().all())
    except Fault as fault:
        return [fault]


def _kits(told: Mapping[str, Any]) -> Iterator[Checked]:
    """The project's own kits, and those that kept games were begun with."""
    faults = []
    for name in NAMES:
        try:
            own_kit(name)
        except Fault as fault:
            faults.append(str(fault))
    kept = {game.about.kit for game in _games() if isinstance(game, Kept)}
    faults += [f"{kit}: {told['gone']}" for kit in sorted(kept) if kit and not os.path.isfile(Path(kit) / "kit.toml")]
    yield _item(told, "kits", WATCH if faults else FINE, "; ".join(faults) or str(len(NAMES)))


def _words(told: Mapping[str, Any]) -> Checked:
    found = list(all_faults())
    more = f" (+{len(found) - 1})" if len(found) > 1 else ""
    return _item(told, "words", WATCH if found else FINE, found[0] + more if found else ", ".join(LANGUAGES))


def _panel(told: Mapping[str, Any]) -> Iterator[Checked]:
    from hardware.panel import Panel, header_chip

    chip = header_chip()
    if chip is None:
        yield _item(told, "pins", UNKNOWN, told["no-pins"])
        return
    yield _item(told, "pins", FINE, f"/dev/gpiochip{chip}")
    try:
        settings = config().panel
    except Fault:
        settings = PanelSettings()
    try:
        Panel(settings, lambda press: None).close()
    except Fault as fault:
        yield _item(told, "buttons", BAD, str(fault))
    else:
        yield _item(told, "buttons", FINE, ", ".join(f"{name} {pin}" for name, pin in settings.pins.items()))


def _camera(
    camera: Callable[[], Source], told: Mapping[str, Any], language: str
) -> Iterator[tuple[str, Item, Frame | None]]:
    """Some pictures are taken; the last goes on to be measured."""
    not_seen = words("companion", language)["not-seen"]
    try:
        source = camera()
        if source.kind == "simulated":
            yield (*_item(told, "camera", UNKNOWN, told["no-camera"]), None)
            return
        opened = camera_of(source, config().camera, settings_set(source))
    except Fault as fault:
        yield (*_item(told, "camera", BAD, str(fault)), None)
        return
    taken: Frame | NotSeen | None = None
    frames = 0
    try:
        for _ in range(READS):
            taken = opened.read()
            frames += isinstance(taken, Frame)
            if taken is None or (isinstance(taken, NotSeen) and not frames):
                break
            if isinstance(taken, Frame) and frames >= FRAMES and taken.about.get("held") != 0:
                break  # a camera that is finding its exposure is given the time
    finally:
        opened.close()
    if isinstance(taken, Frame):
        height, width = taken.pixels.shape[:2]
        yield (*_item(told, "camera", FINE, f"{source}, {width} × {height}"), taken)
        if source.is_real:
            held = taken.about.get("held") == 1
            yield (*_item(told, "exposure", FINE if held else WATCH, told["held" if held else "not-held"]), None)
        yield (*_lens(name_of(source), (width, height), told, language), taken)
    else:
        error = taken.error if taken else ""
        text = taken.advice if taken else told["no-picture"]
        yield (*_item(told, "camera", BAD, f"{source}: {text}", not_seen.get(error, "")), None)


def _lens(camera: str, size_px: tuple[int, int], told: Mapping[str, Any], language: str) -> Checked:
    """Whether the camera is the one whose lens was calibrated, and takes pictures as it did then."""
    from calibration.profile import fits, load_profile

    if not profile_path().exists():
        return _item(told, "lens", UNKNOWN, told["no-lens"])
    try:
        profile = load_profile(profile_path())
    except Fault as fault:
        return _item(told, "lens", BAD, str(fault))
    residual = "?" if profile.residual_px is None else profile.residual_px
    made = filled(told["lens"], language, camera=profile.camera or "?", day=profile.made or "?", px=residual)
    same = name_of(profile.camera) in ("", camera) and fits(profile, size_px)
    return _item(told, "lens", FINE if same else WATCH, made)


def _machine(frame: Frame | None, told: Mapping[str, Any], language: str) -> Iterator[Checked]:
    from companion.commands.monitor import readings_of
    from hardware.health import machine

    found = machine(home())
    yield _item(told, "machine", FINE, found.model or f"{platform.system()} {platform.machine()}")
    if found.slowed is not None:
        yield _item(told, "speed", WATCH if found.slowed else FINE, told["slowed" if found.slowed else "full"])
    view = health(readings_of(found, frame), language)
    names = {name: key for key, name in words("companion", language)["health"]["name"].items()}
    for item in view.items:
        if names[item.name] not in ("camera", "buttons", "version", "residual_px", "saving_s", "faults", "speed"):
            yield names[item.name], item
