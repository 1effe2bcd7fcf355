"""Foveation: whole in the mask, the formula's frequency elsewhere, and as the slow twin says."""

import itertools

import cv2
import numpy as np
import pytest
from scipy.optimize import brentq

from sightline.parts import foveation_reference
from sightline.parts.foveation import (
    LEVELS,
    Field,
    foveated,
    from_degrees,
    levels_of,
    sigma,
    step,
)

FIELDS = [Field(4.2), Field(15.0), Field(3.0, 0.6), Field(6.0, 0.3), from_degrees(32)]


def noise(height: int = 70, width: int = 90, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)


def spot(height: int = 70, width: int = 90) -> np.ndarray:
    mask = np.zeros((height, width), bool)
    mask[20:33, 30:50] = True
    return mask


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_the_fast_path_says_what_the_slow_one_says(field: Field) -> None:
    picture, mask = noise(), spot()
    fast = foveated(levels_of(picture), mask, field).astype(int)
    slow = foveation_reference.foveated(picture, mask, field).astype(int)
    assert np.abs(fast - slow).max() <= 1
    assert (fast != slow).mean() < 0.002


def test_without_a_mask_all_is_as_coarse_as_can_be() -> None:
    picture, empty = noise(), np.zeros((70, 90), bool)
    fast = foveated(levels_of(picture), empty, Field(5)).astype(int)
    assert np.abs(fast - foveation_reference.foveated(picture, empty, Field(5))).max() <= 1
    assert fast.std() < 0.2 * picture.std()


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_the_picture_is_whole_in_the_mask_and_as_far_as_the_formula_says(field: Field) -> None:
    picture, mask = noise(70, 260), spot(70, 260)
    shown = foveated(levels_of(picture), mask, field)
    distance = cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    whole = distance <= field.whole
    assert (shown[whole] == picture[whole]).all()
    assert mask[whole].sum() == mask.sum()
    beyond = distance > field.whole + 3
    assert (shown[beyond] != picture[beyond]).mean() > 0.5


def left_of_a_grating(frequency: float, distance: int, field: Field) -> float:
    """Measure the amplitude that is left of stripes at some distance from the mask."""
    height, width = 1200, distance + 8
    mask = np.zeros((height, width), bool)
    mask[:, :4] = True  # so that a column is all of one distance
    places = np.arange(height)
    stripes = 127 + 100 * np.cos(2 * np.pi * frequency * places)
    picture = np.repeat(stripes[:, None, None], width, axis=1).repeat(3, axis=2)
    shown = foveated(levels_of(np.rint(picture).astype(np.uint8)), mask, field)
    inner = places[200:-200]
    column = shown[inner, 3 + distance, 0].astype(float) - 127
    waves = np.stack([f(2 * np.pi * frequency * inner) for f in (np.cos, np.sin)], axis=1)
    return float(np.hypot(*np.linalg.lstsq(waves, column, rcond=None)[0])) / 100


@pytest.mark.parametrize("field", FIELDS, ids=str)
@pytest.mark.parametrize("distance", [12, 40, 90])
def test_half_amplitude_is_where_the_formula_has_it(field: Field, distance: int) -> None:
    told = float(field.frequency(np.array([float(distance)]))[0])
    if told >= 0.45:
        assert left_of_a_grating(0.4, distance, field) > 0.5
        return
    measured = brentq(
        lambda f: left_of_a_grating(f, distance, field) - 0.5, 0.7 * told, 1.4 * told, xtol=1e-4
    )
    assert measured == pytest.approx(told, rel=0.02)


def test_a_human_eye_resolves_what_geisler_and_perry_say() -> None:
    """Cutoff in cycles a degree: 12.36 at 5 degrees, 4.05 at 20."""
    pixels = 32.0
    field = from_degrees(pixels)
    at = field.frequency(np.array([5, 20]) * pixels) * pixels
    assert at == pytest.approx([12.36, 4.05], abs=0.005)
    assert field.whole == pytest.approx(107, abs=0.5)  # pixels that a display of 32 shows whole


def test_more_of_the_parameter_is_never_less_detail() -> None:
    picture, mask = noise(), spot()
    levels = levels_of(picture)
    halves = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    fields = [Field(half) for half in halves]
    distances = np.linspace(0, 120, 400)
    for coarse, fine in itertools.pairwise(fields):
        assert (coarse.frequency(distances) <= fine.frequency(distances)).all()
    energies = []
    for half in halves:
        shown = foveated(levels, mask, Field(half)).astype(float)
        energies.append(float(np.square(cv2.Laplacian(shown, cv2.CV_64F)).mean()))
    assert energies == sorted(energies)
    assert energies[-1] > 3 * energies[0]


def test_levels_halve_their_frequencies() -> None:
    for level in range(1, LEVELS + 1):
        frequency = 0.5 / 2**level
        left = np.exp(-2 * (np.pi * sigma(level) * frequency) ** 2)
        assert left == pytest.approx(0.5, rel=1e-12)
        steps = sum(step(k) ** 2 for k in range(1, level + 1))
        assert np.sqrt(steps) == pytest.approx(sigma(level), rel=1e-12)
