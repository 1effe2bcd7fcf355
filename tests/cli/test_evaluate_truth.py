"""Ground truth as it comes: boxes in every format, masks."""

import json

import cv2
import numpy as np
import pytest

# Ground truth


def as_coco(scene, folder):
    file = folder / "truth.json"
    names = sorted(set(scene.labels))
    file.write_text(
        json.dumps(
            {
                "images": [
                    {"id": i, "file_name": name, "width": 32, "height": 24}
                    for i, name in enumerate(scene.ids)
                ],
                "annotations": [
                    {
                        "id": i,
                        "image_id": i,
                        "category_id": scene.labels[i],
                        "bbox": [x0, y0, x1 - x0, y1 - y0],
                    }
                    for i, (x0, y0, x1, y1) in enumerate(scene.boxes)
                ],
                "categories": [{"id": label, "name": f"class {label}"} for label in names],
            }
        )
    )
    return file


def as_voc(scene, folder):
    for i, name in enumerate(scene.ids):
        corners = zip(("xmin", "ymin", "xmax", "ymax"), scene.boxes[i], strict=True)
        box = "".join(f"<{side}>{corner}</{side}>" for side, corner in corners)
        file = (folder / "voc" / name).with_suffix(".xml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "<annotation><size><width>32</width><height>24</height></size><object>"
            f"<name>class {scene.labels[i]}</name><bndbox>{box}</bndbox></object></annotation>"
        )
    return folder / "voc"


def as_table(scene, folder):
    return scene.table()


@pytest.mark.parametrize("write", [as_coco, as_voc, as_table], ids=lambda write: write.__name__)
def test_boxes_in_every_format(scene, evaluate, tmp_path, write):
    result = evaluate(truth=write(scene, tmp_path))
    assert result.numbers == evaluate().numbers
    assert result["ledger"]["entries"][0]["per_class"] == [2, 2]


def test_a_data_set_known_by_name_with_its_split(scene, evaluate, tmp_path):
    (tmp_path / "CUB").mkdir()
    scene.truth.rename(tmp_path / "CUB/val")
    result = evaluate("--split", "val", truth=f"cub:{tmp_path / 'CUB'}")
    assert result["truth"]["dataset"] == "cub"
    assert result["truth"]["split"] == "val"


def test_names_of_classes_name_maps(scene, evaluate):
    truth = scene.table()
    expected = evaluate(truth=truth)
    for i, name in enumerate(scene.ids):
        (scene.maps / name).mkdir()
        scene.file(i).rename(scene.maps / name / f"class {scene.labels[i]}.npy")
    assert evaluate(truth=truth).numbers == expected.numbers


# Masks


def outlined(scene, folder, *more):
    """Write a COCO file with the boxes' outlines, and more annotations."""
    file = as_coco(scene, folder)
    content = json.loads(file.read_text())
    for entry in content["annotations"]:
        x, y, width, height = entry["bbox"]
        right, bottom = x + width, y + height
        entry["segmentation"] = [[x, y, right, y, right, bottom, x, bottom]]
    content["annotations"] += more
    file.write_text(json.dumps(content))
    return file


def test_outlines_in_a_coco_file(scene, evaluate, tmp_path):
    scene.add_masks()
    scene.edit("localization", 1, "birds/0.jpg,birds/0.png,")
    expected = evaluate("--masks", scene.masks)
    file = outlined(scene, tmp_path)
    assert evaluate("--protocol", "pixels", truth=file).numbers == expected.numbers
    assert evaluate(truth=file)["metric"] == "MaxBoxAccV2"


def test_a_crowd_is_ignored(scene, evaluate, tmp_path):
    expected = evaluate("--masks", scene.add_masks())
    runs = {"size": [24, 32], "counts": [20 * 24, 12 * 24]}  # the columns from 20 on
    crowd = {"id": 9, "image_id": 0, "category_id": 0, "iscrowd": 1, "segmentation": runs}
    file = outlined(scene, tmp_path, crowd)
    assert evaluate("--protocol", "pixels", truth=file)["value"] == expected["value"]


def test_a_map_of_an_image_that_has_no_annotation_is_no_stranger(scene, evaluate, tmp_path):
    """COCO lists such images; they are counted, and their maps are nobody's mistake."""
    file = as_coco(scene, tmp_path)
    content = json.loads(file.read_text())
    del content["annotations"][5]
    file.write_text(json.dumps(content))
    result = evaluate(truth=file)
    assert result["images"] == 5
    assert result["warnings"]["images_without_annotation"] == 1


def as_mask_folder(scene, folder):
    for name in scene.ids:
        file = folder / "set/images" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        assert cv2.imwrite(str(file), np.zeros((24, 32, 3), np.uint8))
    (scene.masks / "birds/ignore.png").unlink()
    scene.masks.rename(folder / "set/masks")
    return folder / "set"


def test_masks_give_the_pixel_metric(scene, evaluate):
    masks = scene.add_masks()
    for i in range(6):
        mask = cv2.imread(str(masks / f"birds/{i}.png"), cv2.IMREAD_UNCHANGED)
        scene.save(i, mask / 255)
    result = evaluate("--masks", masks)
    needed = ("images", "threshold", "mean_iou", "pointing", "interval", "ledger", "seconds")
    assert result.keys() >= set(needed)
    assert (result["metric"], result["protocol"]["name"]) == ("PxAP", "pixels")
    assert (result["value"], result["mean_iou"], result["pointing"]) == (100, 100, 100)
    assert result["ledger"]["entries"][0]["kind"] == "masks"


def test_a_folder_of_masks_asks_for_masks_though_there_are_boxes(scene, evaluate):
    for name, box in zip(scene.ids, scene.boxes, strict=True):
        scene.paint((scene.masks / name).with_suffix(".png"), box)
    assert evaluate()["metric"] == "MaxBoxAccV2"
    assert evaluate("--masks", scene.masks)["metric"] == "PxAP"
    assert evaluate("--masks", scene.masks, "--protocol", "exact")["metric"] == "MaxBoxAccV2"


def test_ignored_pixels_count_for_nothing(scene, evaluate):
    masks = scene.add_masks()
    expected = evaluate("--masks", masks, "--protocol", "pixels")
    scores = scene.scores(0)
    scores[:, 20:] = 1  # all of this is ignored
    scene.save(0, scores)
    assert evaluate("--masks", masks)["value"] == expected["value"]
    scores[:, 19:] = 1
    scene.save(0, scores)
    assert evaluate("--masks", masks)["value"] < expected["value"]


def test_a_pixel_value_can_mean_ignore(scene, evaluate):
    masks = scene.add_masks()
    expected = evaluate("--masks", masks)
    file = masks / "birds/0.png"
    mask = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
    mask[:, 20:] = 128
    assert cv2.imwrite(str(file), mask)
    scene.edit("localization", 1, "birds/0.jpg,birds/0.png,")
    result = evaluate("--masks", masks, "--ignore-value", "128")
    assert result["value"] == expected["value"]
    assert result["value"] != evaluate("--masks", masks)["value"]


def test_an_image_folder_with_a_mask_folder(scene, evaluate, tmp_path):
    scene.add_masks()
    scene.edit("localization", 1, "birds/0.jpg,birds/0.png,")
    expected = evaluate("--masks", scene.masks)
    result = evaluate(truth=as_mask_folder(scene, tmp_path))
    assert result.numbers == expected.numbers


def test_masks_of_another_size_than_the_maps(scene, evaluate):
    masks = scene.add_masks()
    expected = evaluate("--masks", masks)
    for file in masks.rglob("*.png"):
        mask = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
        assert cv2.imwrite(str(file), np.kron(mask, np.ones((3, 3), np.uint8)))
    assert evaluate("--masks", masks).numbers == expected.numbers
