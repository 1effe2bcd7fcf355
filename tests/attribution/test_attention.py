"""Attention is found in any transformer, and carried as the papers have it."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional

from sightline.attribution import attention_gradients, attention_rollout, cam
from sightline.attribution.attention import grid, layers_of, on_the_grid, reads_class_token
from sightline.attribution.model_files import read_model
from sightline.attribution.networks import ModuleNetwork
from sightline.errors import UsageError

LABELS = torch.tensor([0, 2])
WIDTH, HEADS, TOKENS = 12, 3, 17  # 4 x 4 patches of 8 pixels, and one token before


class Fused(nn.Module):
    """Attention as timm and others write it: one projection, then the fused function."""

    def __init__(self, plain=False):
        super().__init__()
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.plain = plain

    def forward(self, x):
        shape = (x.shape[0], x.shape[1], 3, HEADS, WIDTH // HEADS)
        q, k, v = self.qkv(x).reshape(shape).permute(2, 0, 3, 1, 4)
        if self.plain:
            shares = (q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5).softmax(-1)
            mixed = shares @ v
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v)
        return self.proj(mixed.transpose(1, 2).reshape(x.shape))


class Module(nn.Module):
    """`nn.MultiheadAttention` with the same weights."""

    def __init__(self, weights):
        super().__init__()
        self.mha = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.weights = weights

    def forward(self, x):
        return self.mha(x, x, x, need_weights=self.weights)[0]


class Tiny(nn.Module):
    def __init__(self, kind, classes=4):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, 8, 8)
        self.token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.places = nn.Parameter(torch.zeros(1, TOKENS, WIDTH))
        self.layers = nn.ModuleList([made(kind) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH) for _ in range(2)])
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(images), -1, -1), x], 1) + self.places
        for norm, layer in zip(self.norms, self.layers, strict=True):
            x = x + layer(norm(x))
        return self.head(x[:, 0])


def made(kind):
    if kind in ("module", "module with weights"):
        return Module(weights=kind != "module")
    return Fused(plain=kind == "plain")


KINDS = ("fused", "plain", "module", "module with weights")


def network(kind="fused"):
    """Make one whose weights are the same for all kinds."""
    tiny = Tiny(kind)
    generator = torch.Generator().manual_seed(2)
    names = {"mha.in_proj_": "qkv.", "mha.out_proj.": "proj."}
    drawn = {}
    for name, value in sorted(Tiny("fused").state_dict().items()):
        drawn[name] = 0.7 * torch.randn(value.shape, generator=generator)
    for name, value in tiny.state_dict().items():
        for theirs, ours in names.items():
            name = name.replace(theirs, ours)
        value.copy_(drawn[name])
    return tiny.eval()


def images(count=2):
    return torch.randn(count, 3, 32, 32, generator=torch.Generator().manual_seed(1))


def explained(module, kind="fused", **options):
    wrapped = ModuleNetwork(network(kind))
    return module.explain(wrapped, images(), LABELS, module.Options(**options))


def attention_by_hand():
    """Run the plain network step by step, keeping attention and its gradients."""
    tiny, kept = network("plain"), []
    x = tiny.patches(images()).flatten(2).transpose(1, 2)
    x = torch.cat([tiny.token.expand(2, -1, -1), x], 1) + tiny.places
    for norm, layer in zip(tiny.norms, tiny.layers, strict=True):
        y = norm(x)
        q, k, v = layer.qkv(y).reshape(2, TOKENS, 3, HEADS, 4).permute(2, 0, 3, 1, 4)
        shares = (q @ k.transpose(-2, -1) / 2).softmax(-1)
        kept.append(shares)
        x = x + layer.proj((shares @ v).transpose(1, 2).reshape(2, TOKENS, WIDTH))
    scores = tiny.head(x[:, 0])
    wanted = scores.gather(1, LABELS[:, None]).sum()
    gradients = torch.autograd.grad(wanted, kept)
    return [one.detach() for one in kept], gradients


@pytest.mark.parametrize("kind", KINDS)
def test_attention_and_its_gradients_are_found_in_order_however_they_are_computed(kind):
    attention, gradients = attention_by_hand()
    found = layers_of(ModuleNetwork(network(kind)), images(), LABELS)
    assert len(found) == 2
    for layer, shares, gradient in zip(found, attention, gradients, strict=True):
        torch.testing.assert_close(layer.attention, shares, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(layer.gradient, gradient, rtol=1e-3, atol=1e-5)


def test_rollout_by_its_formula():
    attention, _ = attention_by_hand()
    flow = torch.eye(TOKENS)
    for shares in attention:
        flow = (shares.mean(1) + torch.eye(TOKENS)) / 2 @ flow
    made = explained(attention_rollout)
    torch.testing.assert_close(made.float(), flow[:, 0, 1:].reshape(2, 4, 4), rtol=1e-4, atol=1e-6)
    heads = {how: explained(attention_rollout, heads=how) for how in ("mean", "max", "min")}
    assert not torch.allclose(heads["mean"], heads["max"])
    assert not torch.allclose(heads["mean"], heads["min"])


def test_gradient_weighted_attention_by_its_formula():
    carried = torch.eye(TOKENS).expand(2, TOKENS, TOKENS)
    for shares, gradient in zip(*attention_by_hand(), strict=True):
        carried = carried + (shares * gradient).clamp(min=0).mean(1) @ carried
    made = explained(attention_gradients)
    wanted = carried[:, 0, 1:].reshape(2, 4, 4)
    torch.testing.assert_close(made.float(), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("module", [attention_rollout, attention_gradients])
def test_model_files_and_chunks_give_the_same(module, tmp_path):
    wanted = explained(module)
    torch.testing.assert_close(explained(module, chunk=1), wanted, rtol=1e-4, atol=1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(network(), images(), check_trace=False).save(tmp_path / "net.pt")
        program = torch.export.export(network(), (images(1),))
        torch.export.save(program, tmp_path / "net.pt2")
    for file in ("net.pt", "net.pt2"):
        read = read_model(tmp_path / file)
        made = module.explain(read, images(), LABELS, module.Options())
        torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(
    ("tokens", "size", "wanted"),
    [
        (197, (224, 224), (14, 14, 1)),
        (196, (224, 224), (14, 14, 0)),
        (198, (224, 224), (14, 14, 2)),
        (201, (224, 224), (14, 14, 5)),
        (257, (224, 224), (16, 16, 1)),
        (50, (224, 224), (7, 7, 1)),
        (31, (40, 48), (5, 6, 1)),
    ],
)
def test_tokens_are_laid_on_the_image_s_grid(tokens, size, wanted):
    assert grid(tokens, *size) == wanted


def test_tokens_that_are_no_grid_are_refused():
    with pytest.raises(UsageError, match="90 tokens are no grid"):
        grid(90, 224, 224)


def test_without_a_class_token_the_answer_is_read_from_all():
    relevance = torch.rand(2, 16, 16)
    made = on_the_grid(relevance, torch.zeros(2, 3, 32, 32))
    torch.testing.assert_close(made, relevance.mean(1).reshape(2, 4, 4))


def test_what_has_no_attention_to_join_is_refused():
    class Windows(nn.Module):
        def __init__(self):
            super().__init__()
            self.mha = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
            self.patches = nn.Conv2d(3, WIDTH, 8, 8)

        def forward(self, images):
            x = self.patches(images).flatten(2).transpose(1, 2).reshape(-1, 4, WIDTH)
            y = self.mha(x, x, x, need_weights=False)[0]
            return y.reshape(len(images), -1, WIDTH).mean(1)

    class Narrowing(nn.Module):
        def __init__(self):
            super().__init__()
            self.mha = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
            self.patches = nn.Conv2d(3, WIDTH, 8, 8)

        def forward(self, images):
            x = self.patches(images).flatten(2).transpose(1, 2)
            x = self.mha(x, x, x)[0][:, ::2]
            return self.mha(x, x, x)[0].mean(1)

    plain = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    refused = ((Windows(), "within windows"), (Narrowing(), "different numbers"), (plain, "has no"))
    for module, said in refused:
        for explainer in (attention_rollout, attention_gradients):
            with pytest.raises(UsageError, match=said):
                explainer.explain(
                    ModuleNetwork(module.eval()), images(), LABELS, explainer.Options()
                )


@pytest.mark.parametrize("kind", KINDS)
def test_what_heads_give_is_no_convolutional_stage(kind, tmp_path):
    """Heads give four dimensions too, which must not pass for features on a grid."""
    tiny = network(kind)

    def told(module, inputs, output):
        module.norm(output.reshape(len(output), TOKENS, HEADS, -1).transpose(1, 2))

    for layer in tiny.layers:
        layer.register_module("norm", nn.Identity())
        layer.register_forward_hook(told)

    with pytest.raises(UsageError, match="tokens"):
        cam.explain(ModuleNetwork(tiny), images(), LABELS, cam.Options())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(network(kind), (images(1),))
        torch.export.save(program, tmp_path / "net.pt2")
    with pytest.raises(UsageError, match="tokens"):
        cam.explain(read_model(tmp_path / "net.pt2"), images(1), LABELS[:1], cam.Options())


def test_nothing_is_left_behind():
    tiny = network("module")
    explained(attention_gradients, "module")
    assert torch.equal(tiny(images()), network("module")(images()))
    assert all(parameter.requires_grad for parameter in tiny.parameters())
    assert not any(part._forward_hooks for part in tiny.modules())


class Averaged(Tiny):
    """Reads its answer from the patches alone, as networks made for localization do."""

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(images), -1, -1), x], 1) + self.places
        for norm, layer in zip(self.norms, self.layers, strict=True):
            x = x + layer(norm(x))
        return self.head(x[:, 1:].mean(1))


def test_relevance_is_read_where_the_answer_is():
    averaged = Averaged("fused")
    averaged.load_state_dict(network().state_dict())
    wrapped = ModuleNetwork(averaged.eval())
    layers = layers_of(wrapped, images(), LABELS)
    assert not reads_class_token(layers)
    assert reads_class_token(layers_of(ModuleNetwork(network()), images(), LABELS))
    carried = torch.eye(TOKENS).double().repeat(2, 1, 1)
    for layer in layers:
        speaking = (layer.gradient * layer.attention).double().clamp(min=0).mean(1)
        carried = carried + speaking @ carried
    carried -= torch.eye(TOKENS)
    found = attention_gradients.explain(wrapped, images(), LABELS, attention_gradients.Options())
    assert torch.allclose(found, carried[:, 1:, 1:].mean(1).reshape(2, 4, 4))
