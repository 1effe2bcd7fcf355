"""DeiT takes weights in the published naming, and answers as other implementations do."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from sightline.backbones import assembly, weights
from sightline.backbones.contract import Design
from sightline.backbones.vision_transformer import DropPath, Transformer, on_grid, resampled
from sightline.errors import SightlineError, UsageError
from sightline.methods.assembly import build

SIZES = {"deit-tiny": (192, 3), "deit-small": (384, 6), "deit-base": (768, 12)}
DEPTH, CLASSES = 12, 1000
PARTS = {  # of a block: rows and columns, in widths
    **{"norm1.weight": (1,), "norm1.bias": (1,), "attn.qkv.weight": (3, 1), "attn.qkv.bias": (3,)},
    **{
        "attn.proj.weight": (1, 1),
        "attn.proj.bias": (1,),
        "norm2.weight": (1,),
        "norm2.bias": (1,),
    },
    **{
        "mlp.fc1.weight": (4, 1),
        "mlp.fc1.bias": (4,),
        "mlp.fc2.weight": (1, 4),
        "mlp.fc2.bias": (1,),
    },
}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def published(width, depth=DEPTH, side=14):
    """Give names and shapes of the files of DeiT's authors, which timm took over."""
    shapes = {
        "cls_token": (1, 1, width),
        "pos_embed": (1, 1 + side * side, width),
        "patch_embed.proj.weight": (width, 3, 16, 16),
        "patch_embed.proj.bias": (width,),
    }
    for n in range(depth):
        for name, parts in PARTS.items():
            shapes[f"blocks.{n}.{name}"] = tuple(part * width for part in parts)
    shapes |= {"norm.weight": (width,), "norm.bias": (width,)}
    return shapes | {"head.weight": (CLASSES, width), "head.bias": (CLASSES,)}


def random(shapes, seed=0):
    """Make weights under which attention and classes differ clearly."""
    dice = torch.Generator().manual_seed(seed)
    made = {name: torch.randn(shape, generator=dice) for name, shape in shapes.items()}
    for name, values in made.items():
        if values.dim() == 1:
            values.mul_(0.1).add_(1.0 * ("norm" in name and name.endswith("weight")))
        elif values.dim() == 2 or "proj" in name:
            values.mul_(1.5 / values[0].numel() ** 0.5)
    return made


def images(side=224, count=2):
    return torch.randn(count, 3, side, side, generator=torch.Generator().manual_seed(3))


def filled(name, tensors):
    """Give our network with these weights."""
    backbone = assembly.build(name).eval()
    own = assembly.module_of(name).reorganized(tensors)
    backbone.load_state_dict(own)
    return backbone


# Names and shapes


@pytest.mark.parametrize("name", SIZES)
def test_every_published_tensor_has_its_place(name):
    known = published(SIZES[name][0])
    found = assembly.module_of(name).reorganized(
        {k: torch.empty(shape, device="meta") for k, shape in known.items()}
    )
    with torch.device("meta"):
        ours = assembly.build(name).state_dict()
    assert {k: tuple(v.shape) for k, v in found.items()} == {
        k: tuple(v.shape) for k, v in ours.items()
    }
    assert len(found) == len(known) - 2  # the classifier reads the class token
    assert found["stages.block3.attn.qkv.weight"].shape == (3 * SIZES[name][0], SIZES[name][0])


@pytest.mark.parametrize("name", SIZES)
def test_unknown_names_stay(name):
    strange = {"queue": torch.zeros(1), "blocks.weight": torch.zeros(1)}
    assert assembly.module_of(name).reorganized(strange).keys() == strange.keys()


def test_a_file_as_published_fills_everything_but_the_head(tmp_path):
    file = tmp_path / "deit_tiny.pth"
    tensors = random(published(192))
    torch.save({"model": tensors}, file)
    network = build("ts-cam", "deit-tiny", 5)
    report = weights.fill(network, weights.read("deit-tiny", str(file)))
    assert len(report.loaded) == len(tensors) - 2
    assert report.left_out == ("head.weight", "head.bias")
    assert set(report.new) == {"semantic.weight", "semantic.bias"}
    assert (report.missing, report.mismatched, report.unexpected) == ((), (), ())
    own = network.backbone.stages["block11"].mlp.fc2.weight
    assert torch.equal(own, tensors["blocks.11.mlp.fc2.weight"])


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        (
            published(192) | {"dist_token": (1, 1, 192)},
            "of a distilled network, which has a second",
        ),
        (published(192, depth=24), "of 24 blocks of width 192, where this network has 12 of 192"),
        (published(256), "of 12 blocks of width 256, where this network has 12 of 192"),
        (published(384), "of 12 blocks of width 384, where this network has 12 of 192"),
    ],
    ids=["distilled", "deeper", "wider", "another size of DeiT"],
)
def test_other_transformers_are_refused_by_what_they_are(tmp_path, shapes, said):
    file = tmp_path / "other.pth"
    torch.save({k: torch.zeros(()).expand(shape) for k, shape in shapes.items()}, file)
    with pytest.raises(SightlineError, match=said) as error:
        weights.read("deit-tiny", str(file))
    assert str(file) in str(error.value)


def test_weights_of_a_convolutional_network_are_still_refused(tmp_path):
    file = tmp_path / "other.pth"
    torch.save({"conv1.weight": torch.zeros(3, 3)}, file)
    with pytest.raises(SightlineError, match="another architecture than deit-tiny"):
        weights.read("deit-tiny", str(file))


# Sizes of images


def test_positions_of_another_image_size_are_interpolated_when_read(tmp_path):
    file = tmp_path / "larger.pth"
    tensors = random(published(192, side=24))
    torch.save(tensors, file)
    backbone = assembly.build("deit-tiny")
    report = weights.fill(backbone, weights.read("deit-tiny", str(file)))
    assert report.mismatched == ()
    known = tensors["pos_embed"]
    assert torch.equal(backbone.stages["embed"].pos_embed, resampled(known, 24, (14, 14)))
    assert torch.equal(backbone.stages["embed"].pos_embed[:, 0], known[:, 0])


@pytest.mark.parametrize("size", [(230, 224), (224, 100), (8, 8), (0, 16)])
def test_sizes_that_are_no_patches_are_one_line(size):
    with torch.device("meta"):
        backbone = assembly.build("deit-tiny")
        with pytest.raises(UsageError, match=r"--size: .* patches of 16 pixels; give \d+ or \d+"):
            backbone(torch.empty(1, 3, *size))


def test_oblong_images_have_their_grid():
    with torch.device("meta"):
        attended = assembly.build("deit-tiny").attend(torch.empty(1, 3, 96, 160))
    assert attended.features.last.shape == (1, 192, 6, 10)
    assert attended.tokens.shape == (1, 61, 192)
    assert attended.maps().shape == (1, DEPTH, 6, 10)


# Answers


def theirs(kind, name, tensors):
    """Give transformers' network, its weights, and the attention as it is."""
    transformers = pytest.importorskip("transformers")
    width, heads = SIZES[name]
    config = getattr(transformers, f"{kind}Config")(
        hidden_size=width,
        num_hidden_layers=DEPTH,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        layer_norm_eps=1e-6,
        num_labels=CLASSES,
        attn_implementation="eager",
    )
    network = getattr(transformers, f"{kind}ForImageClassification")(config).eval()
    left = network.load_state_dict(_translated(tensors, kind.lower()), strict=False)
    assert left.missing_keys == left.unexpected_keys == []
    return network


def _translated(tensors, prefix):
    embeddings = f"{prefix}.embeddings"
    found = {
        f"{embeddings}.cls_token": tensors["cls_token"],
        f"{embeddings}.position_embeddings": tensors["pos_embed"],
        f"{embeddings}.patch_embeddings.projection.weight": tensors["patch_embed.proj.weight"],
        f"{embeddings}.patch_embeddings.projection.bias": tensors["patch_embed.proj.bias"],
    }
    if "dist_token" in tensors:
        found[f"{embeddings}.distillation_token"] = tensors["dist_token"]
    for n in range(DEPTH):
        for kind in ("weight", "bias"):
            place = f"{prefix}.layers.{n}"
            split = tensors[f"blocks.{n}.attn.qkv.{kind}"].chunk(3)
            for letter, part in zip("qkv", split, strict=True):
                found[f"{place}.attention.{letter}_proj.{kind}"] = part
            names = {"attn.proj": "attention.o_proj", "mlp.fc1": "mlp.fc1", "mlp.fc2": "mlp.fc2"}
            names |= {"norm1": "layernorm_before", "norm2": "layernorm_after"}
            for own, other in names.items():
                found[f"{place}.{other}.{kind}"] = tensors[f"blocks.{n}.{own}.{kind}"]
    for kind in ("weight", "bias"):
        found[f"{prefix}.layernorm.{kind}"] = tensors[f"norm.{kind}"]
        found[f"classifier.{kind}"] = tensors[f"head.{kind}"]
    return found


def close(found, wanted):
    """Compare to 1e-5, numbers that differ by more than that among themselves."""
    assert wanted.std() > 1e-3
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["deit-tiny", "deit-small"])
@pytest.mark.parametrize("keep", ["class", "all"])
@torch.no_grad()
def test_logits_and_attention_are_those_of_transformers(name, keep):
    tensors = random(published(SIZES[name][0]))
    attended = filled(name, without_head(tensors)).attend(images(), keep=keep)
    logits = functional.linear(attended.tokens[:, 0], tensors["head.weight"], tensors["head.bias"])
    answer = theirs("ViT", name, tensors)(images(), output_attentions=True)
    close(logits, answer.logits)
    assert len(attended.attention) == DEPTH
    for mine, wanted in zip(attended.attention, answer.attentions, strict=True):
        close(mine, wanted if keep == "all" else wanted[:, :, 0])
    summed = sum(layer.mean(1)[:, 0, 1:] for layer in answer.attentions).reshape(-1, 14, 14)
    close(attended.maps().sum(1), summed)


@torch.no_grad()
def test_logits_are_those_of_transformers_deit_whose_second_token_is_added_here():
    tensors = random(published(192))
    distilled = random({"dist_token": (1, 1, 192), "pos_embed": (1, 1, 192)}, seed=9)
    token, position = distilled["dist_token"], distilled["pos_embed"]
    known = tensors["pos_embed"]
    both = torch.cat([known[:, :1], position, known[:, 1:]], 1)
    other = theirs("DeiT", "deit-tiny", tensors | {"dist_token": token, "pos_embed": both})
    answer = other(images(), output_attentions=True)
    ours = filled("deit-tiny", without_head(tensors))
    attended = ours.attend(images(), keep="all", added=token + position)
    close(
        functional.linear(attended.tokens[:, 0], tensors["head.weight"], tensors["head.bias"]),
        answer.logits,
    )
    close(attended.attention[5], answer.attentions[5])
    rows = answer.attentions[5].mean(1)[:, 0, 2:]
    close(attended.maps()[:, 5], rows.reshape(-1, 14, 14))


@pytest.mark.parametrize("side", [160, 288])
@torch.no_grad()
def test_other_image_sizes_are_answered_as_transformers_answers_them(side):
    tensors = random(published(192))
    found = filled("deit-tiny", without_head(tensors)).attend(images(side))
    other = theirs("ViT", "deit-tiny", tensors)
    answer = other(images(side), interpolate_pos_encoding=True, output_hidden_states=True)
    close(
        functional.linear(found.tokens[:, 0], tensors["head.weight"], tensors["head.bias"]),
        answer.logits,
    )


@torch.no_grad()
def test_logits_are_those_of_timm_where_it_is_installed():
    timm = pytest.importorskip("timm")
    tensors = random(published(192))
    other = timm.create_model("deit_tiny_patch16_224").eval()
    other.load_state_dict(tensors)
    found = filled("deit-tiny", without_head(tensors)).attend(images())
    logits = functional.linear(found.tokens[:, 0], tensors["head.weight"], tensors["head.bias"])
    close(logits, other(images()))


def without_head(tensors):
    return {k: v for k, v in tensors.items() if not k.startswith("head.")}


# What methods ask for


def small(drop=0.0):
    torch.manual_seed(0)
    return assembly.build("small-vit", design=Design(stochastic_depth=drop))


def test_keeping_attention_changes_no_answer():
    backbone = small().eval()
    x = images(64)
    with torch.no_grad():
        plain, row, whole = (backbone.attend(x, keep=keep) for keep in ("none", "class", "all"))
    assert plain.attention == ()
    assert torch.equal(plain.features.last, row.features.last)
    torch.testing.assert_close(plain.features.last, whole.features.last, rtol=0, atol=1e-5)
    torch.testing.assert_close(row.maps(), whole.maps(), rtol=0, atol=1e-6)
    assert torch.equal(backbone(x).last, plain.features.last)


def test_gradients_reach_the_attention_that_is_kept():
    backbone = small()
    backbone.attend(images(64)).maps()[:, 0].square().sum().backward()
    assert backbone.stages["block0"].attn.qkv.weight.grad.abs().sum() > 0


def test_what_keys_weigh_is_a_factor_behind_the_softmax():
    backbone = small().eval()
    attention = backbone.stages["block2"].attn
    x = torch.randn(2, 65, 96)
    factors = torch.rand(2, 65)
    with torch.no_grad():
        queries, keys, values = (
            part.unflatten(2, (3, -1)).transpose(1, 2) for part in attention.qkv(x).chunk(3, 2)
        )
        soft = (queries @ keys.mT / 32**0.5).softmax(-1) * factors[:, None, None]
        wanted = attention.proj((soft @ values).transpose(1, 2).flatten(2))
        for keep in ("none", "all"):
            found, _ = attention(x, keep, lambda q, k: factors)
            torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)


def test_an_added_token_is_heard_and_no_feature():
    backbone = small().eval()
    with torch.no_grad():
        plain = backbone.attend(images(64))
        more = backbone.attend(images(64), added=torch.ones(1, 2, 96))
    assert more.tokens.shape == (2, 1 + 64 + 2, 96)
    assert more.maps().shape == plain.maps().shape == (2, 6, 8, 8)
    assert not torch.allclose(more.features.last, plain.features.last)
    assert torch.equal(more.features.last, on_grid(more.tokens, (8, 8)))


def test_whole_branches_are_left_out_of_some_images_more_often_in_later_blocks():
    rates = [block.drop.p for block in small(0.5).stages.values() if hasattr(block, "drop")]
    assert rates == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    torch.manual_seed(0)
    layer = DropPath(0.25)
    left = layer(torch.ones(4000, 3, 2))
    assert sorted(left.unique().tolist()) == pytest.approx([0.0, 4 / 3])
    assert (left == left[:, :1, :1]).all()  # an image wholly or not at all
    assert left.mean().item() == pytest.approx(1, abs=0.05)
    assert torch.equal(layer.eval()(left), left)


def test_the_small_transformer_learns():
    """Tell bright left halves from bright right ones within a few steps."""
    torch.manual_seed(0)
    backbone = assembly.build("small-vit", resolution=8)
    assert isinstance(backbone, Transformer)
    head = nn.Linear(backbone.last_channels, 2)
    optimizer = torch.optim.AdamW([*backbone.parameters(), *head.parameters()], 1e-3)
    losses = []
    for _ in range(15):
        labels = torch.randint(0, 2, (16,))
        seen = torch.randn(16, 3, 64, 64)
        seen[labels == 0, :, :, :32] += 1
        seen[labels == 1, :2, :, 32:] += 1
        loss = functional.cross_entropy(head(backbone(seen).last.mean((2, 3))), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert sum(losses[-3:]) < 0.5 * sum(losses[:3]), losses
