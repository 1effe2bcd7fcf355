"""The stages of `sightline demo`, each a function of the story so far; add one and list it."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli import demo_parts
from sightline.cli.demo_explaining import FOLDER as EXPLAINED
from sightline.cli.demo_explaining import explain
from sightline.cli.output import table

if TYPE_CHECKING:
    from sightline.data.dataset import Dataset

KINDS = ("object", "telling")  # maps of whole objects, and of the parts that tell the class
TRAINED = ("cam", "few-shot")  # methods: one learns from classes, the other from a few masks
BASELINE = "center-gaussian"
BACKBONE = "small-resnet"
PLAN: dict[str, Any] = {
    "lr": 0.02,
    "fast_ratio": 1.0,
    "decay_every": 8,
}  # without weights to begin with
SEARCHED = ("transfer", "selection", "noise")  # tables of the search
TRIALS = 6
SEARCH: dict[str, Any] = {
    "epochs": 3,
    "batch": 8,
    "size": 48,
    "protocols": ("reference-v2",),
    "evaluate_every": 3,
    "keep": ("every",),
}
LEVELS = (10, 50)  # of noise, in percent
SPLIT, BOXES = "test", "reference-v2"
TABLES = ("comparison", "explainers", "pointing")
DRAWN = "ig-vb"  # the explainer whose maps are drawn beside CAM's
CELLS = 7  # of a raw map, each way
NOISE = 0.3  # of a raw map, beside an object of 1
SHOWN = 6  # images of a row


@dataclass
class Story:
    """What the stages hand on."""

    out: Path
    images: int
    size: int
    seed: int
    epochs: int
    results: dict[tuple[str, str], Any] = field(default_factory=dict)  # rows by maps and protocol
    judged: dict[str, Any] = field(default_factory=dict)  # rows of part scores by level
    explained: dict[str, dict[str, Any]] = field(default_factory=dict)  # by explainer and protocol

    @property
    def data(self) -> Path:
        """The folder of the data set."""
        return self.out / "pond"

    @property
    def page(self) -> Path:
        """The page that tells all of it."""
        return self.out / "report" / "index.html"

    def rows(self, name: str) -> Path:
        """Tell where the rows of some maps are."""
        return self.out / "rows" / name

    @property
    def searched(self) -> Path:
        """The folder of the search."""
        return self.out / "search"

    @property
    def trained(self) -> tuple[str, ...]:
        """List the methods that can be trained here."""
        needed = ("torch", "lightning_fabric", "safetensors")
        return TRAINED if self.epochs and all(map(find_spec, needed)) else ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """List the folders of maps that there are."""
        return (*KINDS, *self.trained)

    def split(self) -> "Dataset":
        """Read the split that is scored."""
        from sightline.data.dataset import read_dataset

        return read_dataset(self.data, split=SPLIT)


def generate(story: Story) -> None:
    """Build the data set, as `sightline data make pond` does."""
    import os

    from sightline.data.build.recipes.pond import Options, make

    options = Options(images=story.images, size=story.size)
    make(options, story.data, seed=story.seed, workers=os.cpu_count() or 1)


def show(story: Story) -> None:
    """Draw the contact sheet, as `sightline data show` does."""
    from sightline.cli.data_show_command import Command

    Command(str(story.data), out=story.out / "pond.png", split=SPLIT, seed=story.seed).run()


def imagine_maps(story: Story) -> None:
    """Make coarse, noisy maps of two kinds from what is known of the images."""
    import numpy as np

    from sightline.metrics.score_maps import prepare

    for number, (name, targets) in enumerate(_targets(story)):
        rng = np.random.default_rng([story.seed, number])
        for kind in KINDS:
            raw = targets[kind] + NOISE * rng.random((CELLS, CELLS))
            file = (story.out / "maps" / kind / name).with_suffix(".npy")
            file.parent.mkdir(parents=True, exist_ok=True)
            np.save(file, prepare(raw).astype(np.float32))


def _targets(story: Story) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give how much of each cell the object covers, and how much its telling parts."""
    import cv2
    import numpy as np

    from sightline.data.ledger import Ledger
    from sightline.data.masks import read_mask, read_source
    from sightline.data.pond.scene import TELLING
    from sightline.data.pond.world import world

    data, ledger = story.split(), Ledger()
    masks, parts = data.truth.masks("study", ledger), data.truth.parts("study", ledger)
    for item, name in enumerate(data.split.ids):
        species = world().species[data.split.labels[item]]
        tells = {part.name for view in species.views for part in view.parts if part.tells > TELLING}
        whole = read_mask(masks, item, None) > 0
        some = np.zeros_like(whole)
        for part in parts[item]:
            if part.source is not None and part.name in tells:
                some |= read_source(part.source) > 0
        yield (
            name,
            {
                kind: cv2.resize(
                    plane.astype(np.float64), (CELLS, CELLS), interpolation=cv2.INTER_AREA
                )
                for kind, plane in zip(KINDS, (whole, some if some.any() else whole), strict=True)
            },
        )


def train(story: Story) -> None:
    """Train and localize, as `sightline train` and `sightline localize` do."""
    if not story.trained:
        return
    from sightline.training.localizing import localize_run
    from sightline.training.run import train

    for method in story.trained:
        run, maps = story.out / "runs" / method, story.out / "maps" / method
        plan = PLAN | {"epochs": story.epochs, "seed": story.seed, "evaluate_every": 0}
        train(method, story.data, BACKBONE, run, **plan)
        if not any(maps.glob("*.parquet")):
            localize_run(run, story.split(), out=maps)


def search(story: Story) -> None:
    """Search hyperparameters of CAM, as `sightline search` does."""
    if not story.trained:
        return
    from sightline.protocol.search import search
    from sightline.protocol.search_plan import SearchPlan, Subject

    plan = SEARCH | {"seed": story.seed}
    subject = Subject(method="cam", backbone=BACKBONE, data=str(story.data), plan=plan)
    search(subject, story.searched, SearchPlan(trials=TRIALS))


def select(story: Story) -> None:
    """Select among its trials, as `sightline noise boxes` and `sightline select --record` do."""
    if not story.trained:
        return
    from sightline.data.truth import read_truth
    from sightline.protocol.choosing import CONVERGED
    from sightline.protocol.noise_study import write_boxes
    from sightline.protocol.recording import Recording, record
    from sightline.rows import load

    truth = read_truth(story.data, split="val")
    noisy = write_boxes(truth, story.out / "noisy", LEVELS, story.seed)
    pseudo = {f"noisy-{level}": str(folder) for level, folder in noisy.folders.items()}
    asked = Recording(pseudo=pseudo, test=True, thresholds=100, show_progress=False)
    for file in sorted(story.searched.glob("trials/*/train.row.json")):
        if load(file).result["status"] == CONVERGED:
            record(file.parent, asked)


def score(story: Story) -> None:
    """Score the maps and the baseline, as `sightline evaluate --out` does."""
    from sightline.evaluation.outputs import Files, evaluate_to_files
    from sightline.evaluation.request import Extras, Request

    shutil.rmtree(story.out / "rows", ignore_errors=True)  # of another demo in this folder
    sources = {kind: str(story.out / "maps" / kind) for kind in story.kinds}
    sources[BASELINE] = f"baseline:{BASELINE}"
    for protocol in (BOXES, "pixels"):
        for name, maps in sources.items():
            against = None if name == BASELINE else sources[BASELINE]
            extras, files = Extras(protocol, against=against), Files(out=story.rows(name))
            request = Request(split=SPLIT, seed=story.seed)
            row, _ = evaluate_to_files(maps, str(story.data), request, extras, files)
            story.results[name, protocol] = row


def draw(story: Story) -> None:
    """Draw maps with true and found boxes over their images."""
    import numpy as np

    from sightline.data.ledger import Ledger
    from sightline.data.photographs import read_photograph
    from sightline.drawing.overlay import labelled, overlay, save, sheet
    from sightline.evaluation.sources import open_source
    from sightline.metrics.box import boxes_at, map_boxes
    from sightline.metrics.protocol import preset

    data, protocol = story.split(), preset("reference-v1")
    data = data.chosen(range(min(SHOWN, len(data.split.ids))))
    boxes = data.truth.boxes("study", Ledger())
    tiles = []
    drawn = {kind: (story.out / "maps" / kind, story.results[kind, BOXES]) for kind in story.kinds}
    if DRAWN in story.explained:
        drawn[DRAWN] = story.rows(EXPLAINED) / DRAWN, story.explained[DRAWN][BOXES]
    for kind, (maps, row) in drawn.items():
        threshold = row.result["threshold"]["50"]
        source = open_source(maps)
        source.match(data.split)
        for item in range(len(data.split.ids)):
            picture = _enlarged(read_photograph(data.pictures[item]))
            scores = np.asarray(source.read(item)[0], np.float64)
            scale = len(picture) / len(scores)
            found = boxes_at(map_boxes(scores, protocol), threshold, protocol)
            true = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]]
            over = overlay(
                picture,
                scores,
                true=true * (len(picture) / data.split.sizes[item][0]),
                found=[(box + np.array([0, 0, 1, 1])) * scale for box in found],
            )
            tiles.append(labelled(over, f"{kind}, threshold {threshold:.2f}"))
    save(sheet(tiles, len(data.split.ids)), str(story.out / "sheet.png"))


def _enlarged(picture: Any) -> Any:
    import cv2

    return cv2.resize(picture, (192, 192), interpolation=cv2.INTER_CUBIC)


def report(story: Story) -> None:
    """Write the page, as `sightline report` does."""
    from sightline.cli.report_command import Command

    compared = story.trained or KINDS
    explained = (EXPLAINED,) if story.explained else ()
    places = tuple(map(story.rows, (*compared, BASELINE, *explained)))
    places += tuple(story.out / "runs" / method for method in story.trained)
    places += tuple(story.rows(f"parts-{level}") for level in story.judged)
    there = tuple(name for name in TABLES if name != EXPLAINED or explained)
    there += demo_parts.TABLES if story.judged else ()
    if any(story.searched.glob("trials/*/epochs.row.json")):
        places, there = (*places, story.searched, story.out / "noisy"), (*there, *SEARCHED)
    page = Command(places, tables=there, out=story.page.parent, against=compared[0])
    _, lacking, shown = page.made()
    page.write(shown, lacking)


STAGES: tuple[tuple[str, Callable[[Story], None]], ...] = (
    ("generate Pond", generate),
    ("draw the contact sheet", show),
    ("imagine maps", imagine_maps),
    ("train and localize", train),
    ("search CAM's hyperparameters", search),
    ("select by each criterion", select),
    ("score the maps", score),
    ("explain CAM's network", explain),
    ("draw the maps", draw),
    ("add parts one by one", demo_parts.benchmark),
    ("write the report", report),
)


def summary(story: Story) -> str:
    """Set the scores in a table, with what they are made of."""
    lines = []
    for (name, protocol), row in story.results.items():
        result = row.result
        low, high = result["interval"]
        test = result.get("against")
        compared = (
            f"{test['difference']:+.1f} [{test['low']:+.1f}, {test['high']:+.1f}],"
            f" p = {test['p_value']:.3f}"
            if test
            else ""
        )
        lines.append(
            {
                "maps": name,
                "protocol": protocol,
                "metric": result["metric"],
                "score": f"{result['value']:.1f} [{low:.1f}, {high:.1f}]",
                f"against {BASELINE}": compared,
            }
        )
    first = next(iter(story.results.values()))
    entry = first.ledger[0]
    method = first.result["interval_method"]
    note = (
        f"{entry.images} images, split {entry.split}; 95 % intervals and paired tests resample"
        f" images {method['resamples']} times with seed {method['seed']};\n"
        f"threshold: oracle on this split; labels: boxes and masks, for {entry.purpose}\n"
        f"{_training(story)}"
    )
    return f"{table(lines)}\n{note}"


def _training(story: Story) -> str:
    """Say what was trained on which labels, or why nothing was."""
    from sightline import rows
    from sightline.data.ledger import as_text

    if not story.trained:
        missing = (
            "nothing was trained: --epochs 0"
            if not story.epochs
            else ("nothing was trained, which needs PyTorch: pip install '.[torch]'")
        )
        return missing
    lines = [
        f"object, telling: drawn from what is known of the images; {', '.join(story.trained)}:"
        f" {BACKBONE}, {story.epochs} epochs, seed {story.seed}"
    ]
    for method in story.trained:
        row = rows.load(story.out / "runs" / method / "train.row.json")
        used = as_text(row.ledger) or ["classes alone"]
        lines.append(f"{method} learned from {'; '.join(used)}")
    return "\n".join(lines)
