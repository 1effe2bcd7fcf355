"""Images of the background class: scenes of Pond without an object, added to a training split.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, section 3.3: "including
    many background images containing confusing background cues"
"""

import shutil
from dataclasses import replace
from pathlib import Path

from sightline.data.build.files import write_bytes
from sightline.data.build.lists import Listed, write_classes, write_lists
from sightline.data.pond.dials import BACKGROUNDS, Dials
from sightline.data.pond.painting import paint
from sightline.data.pond.png import encode
from sightline.data.pond.scene import plan
from sightline.rows import write_whole

SPLIT, NOTHING = "train-weaksup", "nothing"


def with_empty_scenes(folder: Path, out: Path, dials: Dials, seed: int, share: float) -> Path:
    """Copy a world's training split and add scenes of no class; the world itself if none is asked.

    Backgrounds take turns, so that each has as many. The copy is made once.

    Args:
        folder: of the world.
        out: where the copy lies.
        dials: of the world.
        seed: of the scenes.
        share: of the training images, how many are added.
    """
    if not share:
        return folder
    own, made = folder / SPLIT, out / SPLIT
    if (made / "image_ids.txt").is_file():
        return out
    shutil.copytree(own / "images", made / "images", dirs_exist_ok=True)
    listed = [
        Listed(name, int(label), (dials.size, dials.size))
        for name, _, label in (
            line.rpartition(",") for line in (own / "class_labels.txt").read_text().splitlines()
        )
    ]
    names = (folder / "class_names.txt").read_text(encoding="utf-8").splitlines()
    for number in range(round(share * len(listed))):
        scene = plan(dials, seed, f"{SPLIT} {NOTHING}", number, noisy=False)
        background = BACKGROUNDS[number % len(BACKGROUNDS)]
        painted = paint(replace(scene, objects=(), occluders=(), background=background), dials.size)
        name = f"{NOTHING}/{number:06d}.png"
        write_bytes(made / "images" / name, encode(painted.picture))
        listed.append(Listed(name, len(names), (dials.size, dials.size)))
    write_classes(out, [*names, NOTHING])
    write_whole(out / "recipe.json", '{"recipe": "pond with scenes of nothing"}\n')
    write_lists(made, listed)
    return out
