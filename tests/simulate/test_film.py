"""Frames: what is kept from one to the next is not seen; noise and light are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.commands import own_kit
from companion.simulate.film import Film, Scene
from companion.simulate.laying import laid
from companion.simulate.lying import Placements
from companion.simulate.room import Light, Sensor
from companion.simulate.setting import random_setting
from companion.simulate.things import Beside, Hand, StandingDie
from companion.simulate.tumbling import Tumbling
from tests.simulate.plays import SMALL

QUIET = Sensor(shot=0.0, read=0.0, defocus=(0.2, 0.3, 0.0), sharpening=0.6)
Array = np.ndarray


def film_and_scene(sensor: Sensor = QUIET) -> tuple[Film, Scene]:
    kit, random = own_kit("garden-dice"), np.random.default_rng(3)
    setting = random_setting(kit, 2, SMALL, ["window"], random)
    spaces = {space.id: laid(kit, space, ["carrot/seed", "disc/blue"], random) for space in kit.of_kind("plot")[:9]}
    film = Film(kit, setting.camera, setting.surface, sensor, 1)
    return film, Scene(Placements(setting.boards, spaces), setting.light)


def shot(film: Film, scene: Scene) -> Array:
    return film.shoot(scene, np.random.default_rng(1))[0]


def moved(scene: Scene) -> Scene:
    spaces = dict(list(scene.placements.spaces.items())[2:])
    return replace(scene, placements=replace(scene.placements, spaces=spaces))


@pytest.mark.parametrize("hand", [Hand((0.0, 0.0), 180.0, 3), Hand((-150.0, 90.0), 250.0, 5, 20.0, True)])
def test_a_frame_does_not_depend_on_the_frames_before(hand: Hand) -> None:
    """A film that has seen hands, dice, other pieces and other light shows what a fresh one does."""
    film, scene = film_and_scene()
    die = StandingDie(4, (160.0, 0.0))
    last = replace(moved(scene), hands=(hand,), dice=(die,))
    for before in (
        scene,
        replace(scene, hands=(Hand((40.0, 10.0), 90.0, 2),)),
        replace(scene, tumbling=(Tumbling(die, (0.0, 200.0), 0.4, 0.1),)),
        replace(moved(scene), hands=(hand,)),
        replace(scene, light=Light("overcast")),
        scene,
        replace(scene, things=(Beside("cup", (250.0, 0.0)),)),
    ):
        shot(film, before)
    fresh, _ = film_and_scene()
    difference = np.abs(shot(film, last).astype(int) - shot(fresh, last))
    assert difference.max() <= 1


def test_a_hand_hides_what_is_under_it() -> None:
    film, scene = film_and_scene()
    random = np.random.default_rng(1)
    assert film.shoot(scene, random)[1]["hidden"] == []
    space = film.kit.of_kind("plot")[0]
    middle = np.array(space.at_mm) - np.array(film.kit.boards[0].size_mm) / 2
    over = Hand((float(middle[0]), float(middle[1]) - 40), 180.0, 1, 12.0)
    truth = film.shoot(replace(scene, hands=(over,)), random)[1]
    assert space.id in truth["hidden"] and truth["hand"]
    assert film.shoot(scene, random)[1]["hidden"] == []


def test_noise_differs_and_is_as_strong_as_the_sensor_says() -> None:
    sensor = Sensor(shot=0.0004, read=0.002, vignette=0.0, blur_px=0.5, exposure=0.5)
    film, scene = film_and_scene(sensor)
    random = np.random.default_rng(2)
    frames = np.stack([film.shoot(scene, random)[0] for _ in range(40)]).astype(float)
    assert not np.array_equal(frames[0], frames[1])
    level, deviation = frames.mean(axis=0), frames.std(axis=0)
    clear = (level > 60) & (level < 230)
    # Levels go with the power 1/2.2 of light, in which the variance is shot · light + read².
    light = (level / 255) ** 2.2
    expected = 255 / 2.2 * light ** (1 / 2.2 - 1) * np.sqrt(0.0004 * light + 0.002**2)
    assert np.median(deviation[clear] / expected[clear]) == pytest.approx(1.0, abs=0.1)


def test_more_light_is_brighter_by_as_much() -> None:
    film, scene = film_and_scene()
    plain, lit = shot(film, scene).astype(float), shot(film, replace(scene, drift=(1.1, 1.1, 1.1))).astype(float)
    clear = (plain > 60) & (plain < 200)
    assert np.median((lit[clear] / plain[clear]) ** 2.2) == pytest.approx(1.1, abs=0.02)


def test_the_sun_comes_out_little_by_little() -> None:
    film, scene = film_and_scene()
    bright = replace(scene.light, cast=tuple(1.6 * part for part in scene.light.cast))
    means = [shot(film, replace(scene, fading=(bright, share))).mean() for share in (0.2, 0.5, 0.8)]
    assert shot(film, scene).mean() < means[0] < means[1] < means[2] < shot(film, replace(scene, light=bright)).mean()
