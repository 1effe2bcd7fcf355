"""On Pond, from random weights: the later convolutional methods beat a network never trained."""

from pathlib import Path

import pytest

from sightline.training import train

PLACE = "pond:centered=0.5,images=400"
SETTINGS = {"lr": 0.02, "fast_ratio": 1.0, "decay_every": 16, "threads": 1, "show_progress": False}


def scores(method: str, root: Path, **settings: object) -> dict[str, float]:
    """Train on Pond, and evaluate on its validation split at the end."""
    epochs = settings.setdefault("epochs", 8)
    row = train(
        method,
        PLACE,
        "small-resnet",
        root / method,
        evaluate_every=max(1, int(str(epochs))),
        **SETTINGS,  # type: ignore[arg-type]
        **settings,
    )
    found: dict[str, float] = row.result["metrics"]
    return found


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    return scores("random", tmp_path_factory.mktemp("random"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("nl-ccam", {}),
        ("f-cam", {"epochs": 14, "options": {"width": 64, "classifier_share": 0.6}}),
    ],
)
def test_a_method_trained_from_nothing_beats_random_weights(method, settings, untrained, tmp_path):
    found = scores(method, tmp_path, **settings)
    assert found["MaxBoxAccV2"] > untrained["MaxBoxAccV2"] + 5
    assert found["PxAP"] > untrained["PxAP"] + 5
