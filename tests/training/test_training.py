"""What a run leaves behind, what it counts as, and what it refuses."""

import csv
import json
import math

import numpy as np
import pytest
import safetensors.torch
import torch
from PIL import Image

from sightline import registry, rows
from sightline.data.dataset import read_dataset
from sightline.errors import DataError, SightlineError, UsageError
from sightline.methods import cam
from sightline.methods.contract import Step
from sightline.training import load_run, loop
from sightline.training.material import Material


def table(run):
    with (run / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_leaves_config_metrics_curves_checkpoint_and_row(trained, tmp_path):
    row = trained(epochs=2, keep=("every", "best:PxAP"))
    run = tmp_path / "run"
    lines = table(run)
    assert [line["epoch"] for line in lines] == ["1", "2"]
    assert all(0 < float(line["loss"]) < 10 and float(line["lr"]) == 0.002 for line in lines)
    names = {"train_top1", "top1", "MaxBoxAccV2", "MaxBoxAccV2.50", "MaxBoxAccV2.top1", "PxAP"}
    assert names <= set(lines[0])
    assert row.result["metrics"]["PxAP"] == float(lines[1]["PxAP"])
    assert (row.result["metric"], row.result["status"]) == ("MaxBoxAccV2", "converged")
    assert row.result["value"] == float(lines[1]["MaxBoxAccV2"])
    best = max(range(2), key=lambda i: float(lines[i]["PxAP"])) + 1
    assert row.result["checkpoints"]["best:PxAP"]["epoch"] == best
    kept = {f"epoch-000{best}.safetensors", "best-PxAP.safetensors"}
    one, two = ((run / name).read_bytes() for name in sorted(kept))
    assert one == two
    with Image.open(run / "curves.png") as picture:
        assert picture.size == (900, 350)
    assert rows.load(run / "train.row.json") == row
    for artifact in row.artifacts.values():
        assert rows.file_hash(run / artifact.path) == artifact.sha256
    assert json.loads((run / "config.json").read_text())["method"] == "cam"
    assert not list(run.glob(".*"))


def test_the_ledger_tells_what_validation_labels_were_for(trained):
    row = trained(keep=("best:PxAP",))
    used = [(e.split, e.kind, e.purpose, e.labels) for e in row.ledger]
    assert used == [
        ("val", "boxes", "hyperparameters", 8),
        ("val", "masks", "hyperparameters", 8),
        ("val", "masks", "model-selection", 8),
    ]


def test_weights_of_a_run_bring_along_the_labels_that_it_consumed(trained, tmp_path):
    first = trained(keep=("best:MaxBoxAccV2",))
    begun = str(tmp_path / "run/last.safetensors")
    other = {"out": tmp_path / "other", "weights": begun, "evaluate_every": 0}
    assert trained("f-cam", **other, options={"width": 16}).ledger == first.ledger != ()
    loose = tmp_path / "loose.safetensors"
    loose.write_bytes((tmp_path / "run/last.safetensors").read_bytes())
    again = trained(weights=str(loose), out=tmp_path / "third", evaluate_every=0)
    assert again.ledger == ()


def test_f_cam_goes_on_from_a_run_of_cam_whose_classifier_it_leaves_as_it_is(trained, tmp_path):
    trained()
    begun = tmp_path / "run/last.safetensors"
    options = {"classifier_share": 0.0, "width": 16}
    trained("f-cam", weights=str(begun), out=tmp_path / "other", options=options)
    before = safetensors.torch.load_file(begun)
    after = safetensors.torch.load_file(tmp_path / "other/last.safetensors")
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {name.partition(".")[0] for name in after.keys() - before} == {"decoder"}


def test_f_cam_refuses_a_classifier_that_learned_nothing(trained):
    with pytest.raises(SightlineError, match="has learned nothing"):
        trained("f-cam", options={"classifier_share": 0.0, "width": 16})


def test_without_evaluation_no_label_is_consumed(trained):
    row = trained(evaluate_every=0)
    assert (row.ledger, row.result["metrics"], row.result["value"]) == ((), {}, None)


def test_classification_as_a_criterion_consumes_no_localization_label(trained):
    row = trained(keep=("best:top1",))
    assert {entry.purpose for entry in row.ledger} == {"hyperparameters"}


def test_test_labels_are_refused_for_evaluation_while_training(trained):
    with pytest.raises(UsageError, match="test labels may not be used for 'hyperparameters'"):
        trained(val_split="test")


def test_a_run_is_the_same_again_and_another_seed_is_not(trained, tmp_path):
    one = trained(workers=2).result["checkpoints"]
    two = trained(out=tmp_path / "two").result["checkpoints"]
    other = trained(out=tmp_path / "other", seed=1).result["checkpoints"]
    assert one == two != other


def test_random_numbers_and_threads_of_the_caller_are_left_alone(trained):
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    threads = torch.get_num_threads()
    trained(threads=threads + 1)
    assert torch.equal(torch.rand(3), wanted)
    assert torch.get_num_threads() == threads


def test_curves_that_cannot_be_written_do_not_end_a_run(trained, tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def full(self, file, **settings):
        file.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    row = trained()
    assert "curves" not in row.artifacts
    assert not list((tmp_path / "run").glob(".*"))


def test_a_training_step_is_what_one_would_write_down(trained, tmp_path, monkeypatch):
    """One step of SGD with momentum from the very same weights and batch, by hand."""
    seen = []
    step = cam.Method.step

    def noted(self, batch):
        if not seen:
            before = {n: p.detach().clone() for n, p in self.named_parameters()}
            seen.append((batch, before))
        return step(self, batch)

    monkeypatch.setattr(cam.Method, "step", noted)
    trained(batch=12, lr=0.01, evaluate_every=0)
    monkeypatch.undo()
    batch, before = seen[0]
    network = load_run(tmp_path / "run").network
    network.load_state_dict(before)
    loss = torch.nn.functional.cross_entropy(network.train()(batch.images), batch.labels)
    loss.backward()
    after = load_run(tmp_path / "run").network.state_dict()
    for name, parameter in network.named_parameters():
        slow = name.startswith("backbone.") and "conv5" not in name and "conv6" not in name
        gradient = parameter.grad + 1e-4 * parameter
        wanted = parameter - (0.01 if slow else 0.1) * 1.9 * gradient  # Nesterov's first step
        assert torch.allclose(after[name], wanted, atol=1e-6), name


# Endings


def losing(monkeypatch, at, value=math.nan):
    step, count = cam.Method.step, [0]

    def lost(self, batch):
        count[0] += 1
        found = step(self, batch)
        return Step(found.loss * value, found.parts) if count[0] == at else found

    monkeypatch.setattr(cam.Method, "step", lost)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_no_number_ends_the_run_with_a_row(trained, tmp_path, monkeypatch, value):
    losing(monkeypatch, 5, value)
    row = trained(epochs=4)
    assert (row.result["status"], row.result["lost_at"]) == ("diverged", {"epoch": 2, "step": 2})
    assert row.result["epochs"] == 1
    assert row.result["checkpoints"] == {}
    assert len(table(tmp_path / "run")) == 1
    assert not (tmp_path / "run/last.safetensors").exists()
    monkeypatch.undo()
    assert trained(epochs=4) == row


def test_a_diverged_run_is_told_and_fails(sightline, photographs, tmp_path, monkeypatch):
    losing(monkeypatch, 1)
    flags = ["--data", photographs, "--backbone", "small-plain", "--out", tmp_path / "run"]
    answer = sightline("train", "cam", *flags, "--epochs", 1, "--accelerator", "cpu")
    assert answer.code == 1
    assert "cam on small-plain: diverged after 0 epochs" in answer.out
    assert "the loss was no number in epoch 1, step 1; lower --lr" in answer.out


def test_maps_that_are_no_numbers_count_as_diverged(trained, monkeypatch):
    monkeypatch.setattr(
        cam.Method, "localize", lambda self, images, choose: _broken(self, images, choose)
    )
    assert trained().result["status"] == "diverged"


def _broken(self, images, choose):
    logits = self.classify(images)
    maps = torch.full((len(images), choose(logits).shape[1], 4, 4), math.nan)
    return registry.load("method", "cam").Localized(logits, maps)


def test_a_high_loss_is_no_convergence_by_the_journals_rule(trained, tmp_path, monkeypatch):
    assert trained().result["status"] == "converged"
    losing(monkeypatch, 1, 5.0)
    row = trained(convergence="below-2", batch=12, out=tmp_path / "high")
    assert row.result["loss"] > 2
    assert row.result["status"] == "not converged"
    assert (tmp_path / "high/last.safetensors").exists()


# Methods that are different


def test_an_untrained_network_is_evaluated_only(trained, tmp_path):
    row = trained("random", epochs=5)
    assert (row.result["epochs"], row.result["loss"]) == (0, None)
    assert row.result["plan"]["epochs"] == 0
    assert 0 <= row.result["metrics"]["MaxBoxAccV2"] <= 100
    assert "top1" not in row.result["metrics"]
    with pytest.raises(UsageError, match="the network untrained, and takes none"):
        trained("random", weights="some.pth", out=tmp_path / "other")


def test_few_shot_learns_from_validation_masks_and_holds_some_out(trained):
    row = trained("few-shot")
    used = [(e.split, e.kind, e.purpose, e.images) for e in row.ledger]
    assert used == [
        ("val", "masks", "training", 6),
        ("val", "boxes", "hyperparameters", 2),
        ("val", "masks", "hyperparameters", 2),
    ]
    assert "top1" not in row.result["metrics"]
    assert (row.result["train"]["images"], row.result["truth"]["images"]) == (6, 2)


def test_few_shot_fills_boxes_where_there_are_no_masks(trained, data):
    import shutil

    shutil.rmtree(data / "masks")
    row = trained("few-shot", data=data)
    assert [(e.kind, e.purpose) for e in row.ledger] == [
        ("boxes", "training"),
        ("boxes", "hyperparameters"),
    ]


def test_few_shot_may_not_learn_from_test_labels(trained, tmp_path):
    with pytest.raises(UsageError, match="test labels may not be used for 'training'"):
        trained("few-shot", train_split="test")
    row = trained("few-shot", train_split="test", force=True, out=tmp_path / "forced")
    assert [e.forced for e in row.ledger if e.purpose == "training"] == [True]


def test_few_shot_needs_something_to_learn_from(trained, data):
    import shutil

    shutil.rmtree(data / "masks")
    (data / "metadata/val/localization.txt").unlink()
    with pytest.raises(UsageError, match="split val has neither masks nor boxes"):
        trained("few-shot", data=data)


def test_images_may_be_handed_over(trained, photographs):
    train = read_dataset(photographs, split="train")
    val = read_dataset(photographs, split="val").chosen([0, 1, 2])
    row = trained(data=Material(train, val, classes=0))
    assert row.result["truth"]["images"] == 3


# Bad input


def test_a_class_without_images_is_named(trained, data, tmp_path):
    for name in ("image_ids", "class_labels", "image_sizes", "localization"):
        file = data / f"metadata/train/{name}.txt"
        lines = [line for line in file.read_text().split("\n") if "class_1/" not in line]
        file.write_text("\n".join(lines))
    with pytest.raises(DataError, match="no image of class 1 in split train, of 4 classes; number"):
        trained(data=data)
    row = trained(data=data, on_error="skip")
    assert row.result["classes"] == 4
    assert row.provenance["notes"] == ["no image of class 1 in split train, of 4 classes"]


def test_a_class_that_only_validation_knows_is_named(trained, data):
    file = data / "metadata/val/class_labels.txt"
    first, *others = file.read_text().split("\n")
    file.write_text("\n".join([first.rpartition(",")[0] + ",9", *others]))
    with pytest.raises(DataError, match="class 9 of split val is beyond the 4 classes of split"):
        trained(data=data)


def test_a_missing_split_is_named(trained, data):
    import shutil

    shutil.rmtree(data / "metadata/train")
    with pytest.raises(UsageError, match="no split 'train' here; it holds val, test"):
        trained(data=data)


def test_one_folder_for_both_splits_is_refused(trained, photographs):
    with pytest.raises(UsageError, match="splits train and val share 12 images"):
        trained(data=photographs / "metadata/train", images=photographs / "images")


def test_a_broken_photograph_is_named_or_skipped(trained, data, tmp_path):
    broken = sorted((data / "images/train").rglob("*.png"))[3]
    broken.write_bytes(broken.read_bytes()[:100])
    with pytest.raises(DataError, match=broken.name):
        trained(data=data)
    row = trained(data=data, on_error="skip", out=tmp_path / "skipped")
    assert row.result["status"] == "converged"
    assert [broken.name in text for text in row.provenance["left_out"]] == [True]


def test_single_images_cannot_be_normalized_in_batches(trained):
    with pytest.raises(UsageError, match="--batch: 1 leaves single images, which small-resnet's"):
        trained(backbone="small-resnet", batch=1)
    assert trained(batch=1).result["status"] == "converged"


def test_weights_of_another_architecture_are_refused(trained, tmp_path):
    trained()
    file = tmp_path / "run/last.safetensors"
    with pytest.raises(SightlineError, match="another architecture than small-resnet: looks like"):
        trained(backbone="small-resnet", weights=str(file), out=tmp_path / "other")


def test_weights_of_other_classes_keep_the_backbone(trained, tmp_path, photographs):
    first = trained()
    file = tmp_path / "run/last.safetensors"
    train = read_dataset(photographs, split="train")
    val = read_dataset(photographs, split="val")
    few = [i for i, label in enumerate(train.split.labels) if label < 3]
    seen = [i for i, label in enumerate(val.split.labels) if label < 3]
    material = Material(train.chosen(few), val.chosen(seen), 0)
    row = trained(data=material, weights=str(file), out=tmp_path / "other")
    assert (first.result["classes"], row.result["classes"]) == (4, 3)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_out_of_memory_says_what_to_lower(trained, monkeypatch, error):
    def full(self, batch):
        raise error

    monkeypatch.setattr(cam.Method, "step", full)
    with pytest.raises(SightlineError, match="out of memory with a batch of 4; lower --batch, or"):
        trained()


def test_other_errors_are_not_mistaken_for_memory(trained, monkeypatch):
    def wrong(self, batch):
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(cam.Method, "step", wrong)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        trained()


@pytest.mark.parametrize("logger", ["tensorboard", "wandb"])
def test_a_logger_that_is_not_installed_is_named(trained, logger, monkeypatch):
    from sightline.training import loggers

    monkeypatch.setattr(loggers, "find_spec", lambda name: None)
    with pytest.raises(SightlineError, match=f"--logger {logger} needs the package {logger}"):
        trained(logger=logger)


def test_numbers_go_to_a_logger(trained, monkeypatch):
    from sightline.training import loggers

    noted = []
    monkeypatch.setattr(loggers, "refuse_missing", lambda name: None)
    monkeypatch.setattr(
        loggers, "_tensorboard", lambda task: lambda numbers, epoch: noted.append((epoch, numbers))
    )
    trained(logger="tensorboard", epochs=2)
    assert [epoch for epoch, _ in noted] == [1, 2]
    assert {"loss", "lr", "PxAP"} <= noted[0][1].keys()


@pytest.mark.skipif(torch.cuda.is_available(), reason="is for machines without a GPU")
def test_a_gpu_that_is_not_there_is_refused(trained):
    with pytest.raises(UsageError, match="there is no GPU here"):
        trained(accelerator="gpu")


def test_half_precision_and_channels_last_train_too(trained):
    row = trained(precision="bf16-mixed", channels_last=True, backbone="small-resnet")
    assert np.isfinite(row.result["loss"])


def test_the_last_batch_is_kept_or_left_out(trained, tmp_path, monkeypatch):
    counts = []
    add = loop.Loop._add
    monkeypatch.setattr(
        loop.Loop,
        "_add",
        lambda self, found, total: (counts.append(total), add(self, found, total)),
    )
    trained(batch=5, evaluate_every=0)
    trained(batch=5, evaluate_every=0, drop_last=True, out=tmp_path / "dropped")
    assert counts == [5, 5, 2, 5, 5]
