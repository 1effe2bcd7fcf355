"""A CLIP model so small that it can be computed by hand, saved as transformers saves models."""

import json

import torch

WORDS = "abcdefghijklmnopqrstuvwxyz."
SIDE, PATCH = 32, 8


def config():
    from transformers import CLIPConfig

    shared = {"num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24}
    text = {
        **shared,
        "hidden_size": 12,
        "vocab_size": 3 + 2 * len(WORDS),
        "max_position_embeddings": 40,
        "bos_token_id": 0,
        "eos_token_id": 1,
        "pad_token_id": 2,
    }
    vision = {**shared, "hidden_size": 16, "image_size": SIDE, "patch_size": PATCH}
    return CLIPConfig(text_config=text, vision_config=vision, projection_dim=10)


def saved(folder, *, seed=0, safe=True, **changes):
    """Save a model with random weights, large enough that its scores differ."""
    from transformers import CLIPModel, CLIPTokenizer

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = CLIPModel(config())
        for parameter in model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.4)
        model.logit_scale.data.fill_(1.5)
    for name, value in changes.items():
        model.get_parameter(name).data.fill_(value)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    if not safe:
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    vocabulary = ["<|startoftext|>", "<|endoftext|>", "<|pad|>"]
    vocabulary += [*WORDS, *(f"{one}</w>" for one in WORDS)]
    CLIPTokenizer(
        vocab={word: number for number, word in enumerate(vocabulary)},
        merges=[],
        pad_token="<|pad|>",
    ).save_pretrained(folder)
    told = {"image_mean": [0.5, 0.4, 0.3], "image_std": [0.2, 0.25, 0.3]}
    (folder / "preprocessor_config.json").write_text(json.dumps(told))
    return folder
