"""Evaluation in one pass gives what the evaluator gives for the same maps."""

import math

import numpy as np
import pytest
import torch

from sightline import evaluate, read_truth
from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.transforms import Transform
from sightline.methods import assembly
from sightline.methods.contract import given
from sightline.metrics.protocol import preset
from sightline.metrics.score_maps import prepare
from sightline.progress import silent
from sightline.training.scoring import Assessor, localized, protocols_of
from sightline.training.sharing import Sharing

SIDE = 64
PURPOSES = {"boxes": ["study"], "masks": ["study"]}


def assessor_of(photographs, *, split="val", names=(), part=None, batch=3):
    dataset = read_dataset(photographs, split=split)
    loader = Loader(
        dataset.pictures,
        sizes=dataset.split.sizes,
        transform=Transform(resize=73, crop=SIDE, test_resize=SIDE),
        reading=Reading(batch=batch, workers=0, cache=False),
        training=False,
    )
    protocols = protocols_of(names, dataset)
    sharing = Sharing(*part) if part else None
    return Assessor(dataset, loader, protocols, PURPOSES, Ledger(), side=SIDE, sharing=sharing)


@pytest.fixture
def network():
    torch.manual_seed(3)
    return assembly.build("cam", "small-plain", 6).eval()


def forward_of(network, calls=None):
    def forward(batch, labels):
        if calls is not None:
            calls.append(len(labels))
        with torch.inference_mode():
            return localized(network, torch.from_numpy(batch.images), torch.from_numpy(labels))

    return forward


def maps_by_hand(network, photographs, split="val"):
    """Read the photographs and localize them one by one."""
    assessor = assessor_of(photographs, split=split, batch=1)
    labels = assessor.dataset.split.labels
    maps, logits = {}, []
    for batch in assessor.loader.epoch(0):
        item = int(batch.indices[0])
        with torch.inference_mode():
            wanted = torch.from_numpy(labels[[item]])
            said = network.localize(torch.from_numpy(batch.images), given(wanted))
        maps[assessor.dataset.split.ids[item]] = prepare(said.maps[0, 0].numpy(), size=SIDE)
        logits.append(said.logits[0].numpy())
    return maps, np.array(logits), labels


def test_one_pass_gives_what_the_evaluator_gives(network, photographs):
    names = ("reference-v2", "reference-v1", "exact", "pixels")
    calls = []
    assessed = assessor_of(photographs, names=names).assess(
        network, forward_of(network, calls), silent
    )
    assert calls == [3, 3, 2]  # one pass
    maps, logits, labels = maps_by_hand(network, photographs)
    truth = read_truth(photographs, split="val")
    for name in names:
        found = assessed.accumulators[name].compute()
        wanted = evaluate(maps, truth, name, purpose="study").result
        for key in ("metric", "value", "mean_iou", "pointing", "energy", "threshold"):
            assert found[key] == pytest.approx(wanted[key], abs=2e-3), (name, key)
    numbers = assessed.numbers()
    assert numbers["top1"] == 100 * (logits.argmax(1) == labels).mean()
    top5 = np.argsort(-logits, 1)[:, :5]
    assert numbers["top5"] == 100 * (top5 == labels[:, None]).any(1).mean()
    assert {"MaxBoxAcc", "PxAP", "reference-v2:MaxBoxAccV2", "exact:MaxBoxAccV2"} <= set(numbers)


def test_localization_counts_where_the_class_is_found(network, photographs):
    assessor = assessor_of(photographs, names=("reference-v2",))
    assessed = assessor.assess(network, forward_of(network), silent)
    _, logits, labels = maps_by_hand(network, photographs)
    right = logits.argmax(1) == labels
    records = assessed.accumulators["reference-v2"].records
    ids = assessor.dataset.split.ids
    found = dict(zip(records.sorted_ids(), records.column("in_top1"), strict=True))
    assert [found[name] for name in ids] == right.astype(float).tolist()


def test_few_classes_have_no_top_5(photographs):
    torch.manual_seed(0)
    four = assembly.build("cam", "small-plain", 4).eval()
    assessed = assessor_of(photographs).assess(four, forward_of(four), silent)
    assert "top1" in assessed.numbers()
    assert not any("top5" in name for name in assessed.numbers())
    assert math.isnan(assessed.accumulators["reference-v2"].records.column("in_top5")[0])


@pytest.mark.parametrize("world", [2, 3, 5])
def test_shares_merge_exactly_in_any_order(network, photographs, world):
    whole = assessor_of(photographs).assess(network, forward_of(network), silent)
    shares = [
        assessor_of(photographs, part=(rank, world)).assess(network, forward_of(network), silent)
        for rank in range(world)
    ]
    merged = shares.pop()
    for share in shares:
        merged.merge(share)
    assert merged.images == whole.images == 8
    for name, accumulator in whole.accumulators.items():
        assert set(accumulator.records.ids) == set(merged.accumulators[name].records.ids)
    for name, value in whole.numbers().items():  # maps differ in the last bits with the batch
        assert merged.numbers()[name] == pytest.approx(value, abs=1e-3), name


def test_protocols_follow_the_ground_truth(photographs, data):
    import shutil

    both = read_dataset(photographs, split="val")
    assert [p.name for p in protocols_of((), both)] == ["reference-v2", "pixels"]
    shutil.rmtree(data / "masks")
    boxes = read_dataset(data, split="val")
    assert [p.name for p in protocols_of((), boxes)] == ["reference-v2"]
    (data / "metadata/val/localization.txt").unlink()
    assert protocols_of((), read_dataset(data, split="val")) == []
    assert protocols_of(("exact",), boxes) == [preset("exact")]


def test_a_map_that_cannot_be_measured_is_named(network, photographs):
    from sightline.errors import DataError
    from sightline.methods.contract import Localized

    def broken(batch, labels):
        said = forward_of(network)(batch, labels)
        maps = said.maps.clone()
        maps[0, 0, 0, 0] = math.nan
        return Localized(said.logits, maps)

    assessor = assessor_of(photographs)
    first = assessor.dataset.split.ids[0]
    with pytest.raises(DataError, match="map holds NaN"):
        assessor.assess(network, broken, silent)
    skipping = assessor_of(photographs)
    skipping._skip = True
    assessed = skipping.assess(network, broken, silent)
    assert len(assessed.problems) == 3
    assert first not in assessed.accumulators["pixels"].records.ids
