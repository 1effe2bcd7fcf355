"""The map of an image-text model, on one small enough to be computed by hand."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from sightline.annotators import clip
from sightline.annotators.clip_cam import cam, refined
from sightline.annotators.clip_model import read_model, unit
from sightline.annotators.contract import Heat, Item, Nothing
from sightline.errors import SightlineError, UsageError
from sightline.types import Split


def read(name, folder=Path(__file__).parent):
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tiny = read("tiny_clip")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tiny.saved(tmp_path_factory.mktemp("clip") / "tiny")


def split(*names, labels=(0, 1)):
    count = len(labels)
    ids = tuple(f"{i}.png" for i in range(count))
    sizes = np.tile([48, 40], (count, 1))
    return Split("own", "val", ids, ids, np.array(labels), sizes, names)


def picture(seed=0, height=40, width=48):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def pixels(seed=0, height=tiny.SIDE, width=tiny.SIDE):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 3, height, width))).float()


def twin(folder):
    """Load the model as its own library does, with nothing taken apart."""
    from transformers import CLIPModel, CLIPTokenizer

    model = CLIPModel.from_pretrained(folder, attn_implementation="eager").eval()
    return model, CLIPTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("side", [(32, 32), (40, 56)], ids=["own grid", "another grid"])
def test_the_parts_together_are_the_model(folder, side):
    model, _ = twin(folder)
    parts = read_model(str(folder))
    given = pixels(1, *side)
    tokens = parts.embed(given)
    for block in parts.blocks:
        tokens, _ = block.continued(tokens, block.first(tokens))
    with torch.no_grad():
        wanted = model.vision_model(given, interpolate_pos_encoding=True).last_hidden_state[0]
    torch.testing.assert_close(tokens, wanted, rtol=1e-4, atol=1e-5)


def test_texts_and_scale_are_the_model_s(folder):
    model, tokenizer = twin(folder)
    parts = read_model(str(folder))
    prompts = ["a cat.", "the swan in a pond"]
    words = tokenizer(prompts, padding=True, return_tensors="pt")
    given = pixels()
    with torch.no_grad():
        answer = model(pixel_values=given, **words)
    torch.testing.assert_close(unit(parts.texts(prompts)), answer.text_embeds)
    tokens = parts.embed(given)
    for block in parts.blocks:
        tokens, _ = block.continued(tokens, block.first(tokens))
    image = unit(parts.project(tokens)[0])  # the class token, which the model itself reads
    logits = parts.scale * unit(parts.texts(prompts)) @ image
    torch.testing.assert_close(logits, answer.logits_per_image[0], rtol=1e-4, atol=1e-4)


def weights_by_hand(model, given, texts):
    """Give A and G of the last block, as the chain rule has them, one factor after another."""
    kept = {}
    layers = model.vision_model.encoder.layers
    handle = layers[-1].layer_norm1.register_forward_hook(
        lambda module, inputs, output: kept.update(before=inputs[0], normed=output)
    )
    with torch.no_grad():
        model.vision_model(given, interpolate_pos_encoding=True)
    handle.remove()
    before, normed = (kept[name][0].double() for name in ("before", "normed"))
    last, scale = layers[-1].double(), float(model.logit_scale.detach().exp())
    vision = model.double().vision_model

    def image_of(leaf):
        change, _ = last.self_attn(leaf[None], attention_mask=None)
        middle = before[None] + change
        after = middle + last.mlp(last.layer_norm2(middle))
        return model.visual_projection(vision.post_layernorm(after))[0, 1:].mean(0)

    raw = image_of(normed).detach()
    length = raw.norm()
    shares = torch.softmax(scale * texts @ (raw / length), 0)
    # d share_0 / d logit_n = share_0 (1[n = 0] - share_n); d cosine / d raw = (t - (t u) u) / |raw|
    slope = shares[0] * (torch.eye(len(texts), dtype=torch.double)[0] - shares)
    toward = scale * slope @ texts
    along = raw / length
    for_raw = (toward - (toward @ along) * along) / length
    jacobian = torch.autograd.functional.jacobian(image_of, normed)  # (D', T, D)
    return normed, torch.einsum("p,ptd->td", for_raw, jacobian)


@pytest.mark.parametrize("side", [(32, 32), (40, 56)], ids=["own grid", "another grid"])
def test_the_map_is_the_one_computed_by_hand(folder, side):
    model, _ = twin(folder)
    parts = read_model(str(folder))
    texts = unit(parts.texts(["a heron.", "water", "reeds"]))
    given = pixels(2, *side)
    activation, gradient = weights_by_hand(model, given, texts.double())
    wanted = (activation[1:] * gradient[1:].mean(0)).sum(1).clamp(min=0)
    made, _ = cam(parts, given, texts)
    assert made.max() > 0
    assert made.shape == (side[0] // tiny.PATCH, side[1] // tiny.PATCH)
    torch.testing.assert_close(made.double().ravel(), wanted, rtol=1e-3, atol=1e-7)


def test_attention_is_the_mean_of_the_last_blocks(folder):
    model, _ = twin(folder)
    given = pixels()
    with torch.no_grad():
        answer = model.vision_model(given, output_attentions=True)
    parts = read_model(str(folder))
    texts = unit(parts.texts(["a", "b"]))
    for keep in (1, 2, 8):
        _, made = cam(parts, given, texts, keep)
        wanted = torch.stack([one[0].mean(0) for one in answer.attentions[-keep:]]).mean(0)
        torch.testing.assert_close(made, wanted[1:, 1:], rtol=1e-4, atol=1e-6)


def test_refinement_in_a_closed_form():
    """Attention that is a permutation of pairs exchanges them when squared twice: it stays."""
    swap = np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]])
    found = np.array([[1.0, 0.5], [0.25, 0.0]])
    inside = np.array([1.0, 1.0, 0.0, 0.0])  # .5 and more: the upper row
    np.testing.assert_allclose(refined(found, swap).ravel(), found.ravel() * inside)


def test_refinement_spreads_along_attention():
    """All patches alike: each gets the mean of what stands inside the box."""
    found = np.zeros((4, 4))
    found[1:3, 1:3] = [[1.0, 0.6], [0.6, 0.8]]
    made = refined(found, np.full((16, 16), 0.3))
    np.testing.assert_allclose(made, np.full((4, 4), 3.0 / 16))


def test_the_source_asks_for_the_image_s_class(folder):
    source = clip.open(clip.Options(model=str(folder)), split("swan", "pike"))
    first = source.propose(picture(), Item("0.png", 0, "swan"))
    other = source.propose(picture(), Item("0.png", 1, "pike"))
    assert isinstance(first, Heat)
    assert first.scores.shape == (5, 6)
    assert not np.allclose(first.scores, other.scores)
    again = clip.open(clip.Options(model=str(folder)), split("swan", "pike"))
    np.testing.assert_array_equal(
        again.propose(picture(), Item("", 0, "swan")).scores, first.scores
    )


def test_the_source_is_prompt_normalization_and_map_together(folder):
    """Everything by hand, from bytes to the map."""
    words = ("water", "sky")
    options = clip.Options(
        model=str(folder), templates=("a {}.", "the {}"), background=words, refine=False
    )
    image = picture(3, 32, 32)
    made = clip.open(options, split("gray_heron", labels=(0,))).propose(image, Item("", 0)).scores
    parts = read_model(str(folder))
    mean, std = np.array([0.5, 0.4, 0.3]), np.array([0.2, 0.25, 0.3])
    given = torch.from_numpy(((image / 255 - mean) / std).transpose(2, 0, 1)[None]).float()
    sentences = [[f"a {n}.", f"the {n}"] for n in ("gray heron", *words)]
    texts = torch.stack([unit(unit(parts.texts(pair)).mean(0)) for pair in sentences])
    wanted, _ = cam(parts, given, texts)
    np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-8)


def test_large_photographs_are_reduced_to_whole_patches(folder):
    source = clip.open(clip.Options(model=str(folder), longest=64), split("swan", labels=(0,)))
    made = source.propose(picture(0, 52, 130), Item("", 0))
    assert made.scores.shape == (4, 8)  # 25 x 64, rounded up to patches of 8


def test_an_image_without_a_class_has_no_box(folder):
    source = clip.open(clip.Options(model=str(folder)), split("swan", labels=(0, -1)))
    assert source.propose(picture(), Item("1.png", -1)) == Nothing(
        "the image has no class to ask for"
    )


def test_a_broken_model_gives_no_map(tmp_path):
    where = tiny.saved(tmp_path / "nan", **{"visual_projection.weight": float("nan")})
    source = clip.open(clip.Options(model=str(where)), split("swan", labels=(0,)))
    assert source.propose(picture(), Item("", 0)) == Nothing("the map is not finite")


def test_names_come_from_a_file(folder, tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("001.Black_swan\nnorthern pike|luce\n")
    source = clip.open(clip.Options(model=str(folder), class_names=str(file)), split())
    assert source.names == {0: "Black swan", 1: "northern pike"}


def test_the_origin_follows_weights_and_names(folder, tmp_path):
    def origin(where, *names):
        return clip.open(clip.Options(model=str(where)), split(*names)).origin

    other = tiny.saved(tmp_path / "other", seed=1)
    assert origin(folder, "a", "b") == origin(folder, "a", "b")
    assert origin(folder, "a", "b") != origin(folder, "a", "c")
    assert origin(folder, "a", "b") != origin(other, "a", "b")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"templates": ("a photo",)}, "--templates: 'a photo' needs {} once"),
        ({"templates": ("{} or {}",)}, "needs {} once"),
        ({"templates": ("{0}",)}, "needs {} once"),
        ({"templates": ()}, "--templates: give a sentence or more"),
        ({"background": ("sky", " ")}, "--background: give words, or none"),
        ({"longest": -1}, "--longest: -1 is not from 0 on"),
    ],
)
def test_what_cannot_be_asked(options, told):
    with pytest.raises(UsageError) as caught:
        clip.Options(**options)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("names", "labels", "told"),
    [
        ((), (0,), "own: class 0 has no name, hence no prompt; write the names"),
        (("swan", ""), (0, 1), "own: class 1 has no name"),
        (("swan",), (-1, -1), "own: images have no class, hence no prompt"),
    ],
)
def test_classes_without_a_prompt(folder, names, labels, told):
    with pytest.raises(UsageError) as caught:
        clip.open(clip.Options(model=str(folder)), split(*names, labels=labels))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def wrong_kind(folder):
    told = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**told, "model_type": "bert"}))


def no_tokenizer(folder):
    (folder / "tokenizer.json").write_text("{")


def no_config(folder):
    (folder / "config.json").unlink()


def broken_weights(folder):
    (folder / "model.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{broken")


def lacking_weights(folder):
    from safetensors.torch import load_file, save_file

    kept = load_file(folder / "model.safetensors")
    del kept["visual_projection.weight"]
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def other_shape(folder):
    from safetensors.torch import load_file, save_file

    kept = load_file(folder / "model.safetensors")
    kept["visual_projection.weight"] = torch.zeros(3, 3)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def odd_normalization(folder):
    (folder / "preprocessor_config.json").write_text('{"image_std": [0, 1, 1]}')


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (wrong_kind, "is a model of the kind 'bert', not 'clip'; name a CLIP model"),
        (no_config, "has no config.json; name the folder of a CLIP model"),
        (no_tokenizer, "cannot be read as a CLIP model with safetensors weights ("),
        (broken_weights, "cannot be read as a CLIP model with safetensors weights ("),
        (lacking_weights, "its weights do not fill visual_projection.weight"),
        (other_shape, "its weights do not fill visual_projection.weight"),
        (odd_normalization, "preprocessor_config.json tells no mean and deviation"),
    ],
)
def test_a_spoilt_model_is_one_line(tmp_path, spoil, told):
    where = tiny.saved(tmp_path / "spoilt")
    spoil(where)
    with pytest.raises(SightlineError) as caught:
        read_model(str(where))
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{where}: ")
    assert "\n" not in str(caught.value)


def test_pickled_weights_are_never_opened(tmp_path):
    where = tiny.saved(tmp_path / "pickled", safe=False)
    assert (where / "pytorch_model.bin").is_file()
    with pytest.raises(SightlineError, match="safetensors"):
        read_model(str(where))


def test_code_of_a_model_is_never_run(tmp_path):
    where = tiny.saved(tmp_path / "own code")
    told = json.loads((where / "config.json").read_text())
    told["auto_map"] = {"AutoModel": "evil.Model", "AutoConfig": "evil.Config"}
    (where / "config.json").write_text(json.dumps(told))
    (where / "evil.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    read_model(str(where))
    assert not (tmp_path / "run").exists()


def test_a_file_is_no_model(tmp_path):
    file = tmp_path / "model.bin"
    file.write_bytes(b"0")
    with pytest.raises(
        UsageError, match=r"model.bin: has no config.json; name the folder of a CLIP"
    ):
        read_model(str(file))


def test_a_name_that_is_neither_folder_nor_on_a_hub():
    with pytest.raises(
        UsageError, match=r"^no/such/folder: no such folder, and no name on the hub"
    ):
        read_model("no/such/folder")


def test_no_network_is_one_line_and_not_waited_for(monkeypatch, tmp_path):
    import huggingface_hub as hub

    def unreachable(*_, **__):
        raise ConnectionError("[Errno -2] Name or service not known")

    monkeypatch.setattr(hub.HfApi, "model_info", unreachable)
    monkeypatch.setattr(hub, "try_to_load_from_cache", lambda *_, **__: None)
    with pytest.raises(SightlineError) as caught:
        read_model("someone/some-clip")
    assert str(caught.value) == (
        "someone/some-clip: no such folder, and the hub cannot be reached ([Errno -2] Name or"
        " service not known); fetch it where there is a network, and give its folder with --model"
    )


def test_a_model_of_pickles_alone_is_not_fetched(monkeypatch):
    import huggingface_hub as hub

    class Known:
        rfilename = "pytorch_model.bin"
        siblings = ()

    Known.siblings = (Known,)
    monkeypatch.setattr(hub.HfApi, "model_info", lambda *_, **__: Known)
    monkeypatch.setattr(hub, "try_to_load_from_cache", lambda *_, **__: None)
    with pytest.raises(UsageError, match="has no safetensors file on the hub"):
        read_model("someone/pickles")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("open_clip:ViT-B-16", "write open_clip:ARCHITECTURE@FILE.safetensors"),
        ("open_clip:ViT-B-16@weights.pt", "write open_clip:ARCHITECTURE@FILE.safetensors"),
        ("open_clip:ViT-B-16@absent.safetensors", "absent.safetensors: no such file of weights"),
    ],
)
def test_open_clip_s_names(place, told):
    with pytest.raises(UsageError) as caught:
        read_model(place)
    assert told in str(caught.value)


def open_clip():
    """Import the library, or skip."""
    peers = read("peers", Path(__file__).parents[1] / "attribution")
    return peers.library("open_clip")


def test_open_clip_is_told_of_where_it_is_absent(tmp_path, monkeypatch):
    import sys

    file = tmp_path / "w.safetensors"
    file.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(SightlineError, match="pip install open_clip_torch"):
        read_model(f"open_clip:ViT-B-16@{file}")


@pytest.mark.filterwarnings("ignore")
def test_models_of_open_clip_give_the_same_map(tmp_path):
    """Its smallest vision transformer, random: parts against its own forward pass and gradient."""
    from safetensors.torch import save_file

    library = open_clip()
    name = "ViT-S-32-alt"
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = library.create_model(name, pretrained=None).eval()
    file = tmp_path / "open.safetensors"
    save_file(model.state_dict(), file)
    parts = read_model(f"open_clip:{name}@{file}")
    prompts = ["a swan.", "water"]
    given = pixels(0, 224, 224)
    with torch.no_grad():
        words = model.encode_text(library.get_tokenizer(name)(prompts))
        own = model.encode_image(given)[0]
    torch.testing.assert_close(parts.texts(prompts), words)
    tokens = parts.embed(given)
    for block in parts.blocks:
        tokens, _ = block.continued(tokens, block.first(tokens))
    torch.testing.assert_close(parts.project(tokens)[0], own, rtol=1e-3, atol=1e-4)

    kept = {}
    last = model.visual.transformer.resblocks[-1]
    last.ln_1.register_forward_hook(lambda m, i, o: kept.update(normed=o) or o.retain_grad())
    last.register_forward_hook(lambda m, i, o: kept.update(after=o))
    model.visual(given)
    image = functional.normalize(
        (model.visual.ln_post(kept["after"]) @ model.visual.proj)[0, 1:].mean(0), dim=0
    )
    texts = unit(words)
    (model.logit_scale.exp() * texts @ image).softmax(0)[0].backward()
    gradient = kept["normed"].grad[0, 1:].mean(0)
    wanted = (kept["normed"][0, 1:] @ gradient).relu().reshape(7, 7).detach()
    made, _ = cam(parts, given, texts)
    torch.testing.assert_close(made, wanted, rtol=1e-3, atol=1e-9)
    assert parts.embed(pixels(0, 256, 288)).shape[0] == 1 + 8 * 9
