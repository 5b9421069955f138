"""Writes the tiny checkpoints in tests/weights/files, in the forms that real published files have, and expected.json with
what PyTorch reads in them (a name in the place of tensors: the same as there). Made with torch 2.11 and transformers 5.

usage: make_checkpoints.py OUT
"""
import json
import os
import shutil
import sys

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import (BertConfig, BertForMultipleChoice, BertForPreTraining, BertModel, GPT2Config, GPT2LMHeadModel,
                          OpenAIGPTConfig, OpenAIGPTDoubleHeadsModel)

out = sys.argv[1]
shutil.rmtree(out, ignore_errors=True)
os.makedirs(out)
torch.manual_seed(3)
expected = {}

BERT = dict(vocab_size=11, hidden_size=4, num_hidden_layers=2, num_attention_heads=2, intermediate_size=6,
            max_position_embeddings=5)
GPT = dict(vocab_size=13, n_positions=5, n_embd=4, n_layer=2, n_head=2)


def varied(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 1)
    return model.eval()


def expect(name, tensors):
    """What the canonical tensors of checkpoint `name` are; tied output matrices stand under the embedding's name only."""
    entry = {}
    for key, value in tensors.items():
        if key in ("lm_head.weight", "cls.predictions.decoder.weight", "cls.predictions.decoder.bias"):
            continue
        flat = value.detach().double().flatten()
        entry[key] = dict(shape=list(value.shape), dtype=str(value.dtype).replace("torch.", ""),
                          first=float(flat[0]), last=float(flat[-1]), sum=float(flat.sum()))
    same = [other for other, known in expected.items() if known == entry]
    expected[name] = same[0] if same else entry


def folder(name, config):
    path = os.path.join(out, name)
    os.makedirs(path, exist_ok=True)
    config.save_pretrained(path)
    return path


def save_bin(name, config, value, **how):
    torch.save(value, os.path.join(folder(name, config), "pytorch_model.bin"), **how)


pretraining = varied(BertForPreTraining(BertConfig(**BERT)))
pretraining.config.architectures = ["BertForPreTraining"]
state = pretraining.state_dict()  # the decoder's matrix shares the embedding's storage

# Both forms of torch.save; the first with buffers and both names of the tied matrix, as in the hub's bert-base-uncased.
with_buffers = dict(state)
with_buffers["bert.embeddings.position_ids"] = torch.arange(5)[None]
save_bin("bert-zip", pretraining.config, with_buffers)
expect("bert-zip", state)
old_names = {k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): v
             for k, v in state.items()}
save_bin("bert-legacy", pretraining.config, old_names, _use_new_zipfile_serialization=False)
expect("bert-legacy", state)

# What training programs leave: a wrapping dictionary, DataParallel's prefix, parameters instead of tensors, an optimiser.
weight = torch.nn.Parameter(torch.ones(3, dtype=torch.float64))
optimiser = torch.optim.Adam([weight])
weight.sum().backward()
optimiser.step()
parameters = {"module." + k: torch.nn.Parameter(v.clone()) for k, v in state.items() if "decoder" not in k}
wrapped = {"epoch": 3, "loss": 0.5, "state_dict": parameters, "optimizer": optimiser.state_dict(), "best": None}
save_bin("bert-parallel", pretraining.config, wrapped)
expect("bert-parallel", state)
save_bin("bert-parallel-legacy", pretraining.config, wrapped, _use_new_zipfile_serialization=False)
expect("bert-parallel-legacy", state)

# Tensors that are not one run of bytes: transposed, cut out of something larger, every second value.
def strided(value):
    if value.dim() == 2:
        return value.t().contiguous().t()
    wide = torch.zeros(2 * value.numel() + 3)
    view = wide[1:1 + 2 * value.numel():2]
    view.copy_(value)
    return view
save_bin("bert-strided", pretraining.config, {k: strided(v) for k, v in state.items() if "decoder" not in k})
expect("bert-strided", state)

# Tied under the output's name only.
other_name = {k: v for k, v in state.items() if k != "bert.embeddings.word_embeddings.weight"}
save_bin("bert-decoder", pretraining.config, other_name)
expect("bert-decoder", state)

# Without the prefix.
plain = varied(BertModel(BertConfig(**BERT)))
plain.save_pretrained(os.path.join(out, "bert-plain"))
expect("bert-plain", {"bert." + k: v for k, v in plain.state_dict().items()})

# In several files.
pretraining.save_pretrained(os.path.join(out, "bert-sharded"), max_shard_size="1KB")
expect("bert-sharded", state)
path = folder("bert-sharded-bin", pretraining.config)
names, shards = sorted(k for k in state if "decoder" not in k), {}
for i, name in enumerate(names):
    shards[name] = f"pytorch_model-0000{i % 2 + 1}-of-00002.bin"
for shard in set(shards.values()):
    torch.save({k: state[k].clone() for k in names if shards[k] == shard}, os.path.join(path, shard))
json.dump({"metadata": {}, "weight_map": shards}, open(os.path.join(path, "pytorch_model.bin.index.json"), "w"))
expect("bert-sharded-bin", state)

# Element types.
choice = varied(BertForMultipleChoice(BertConfig(**BERT)))
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
    name = "bert-" + str(dtype).replace("torch.", "")
    cast = BertForMultipleChoice(BertConfig(**BERT))
    cast.load_state_dict(choice.state_dict())
    cast = cast.to(dtype)
    cast.save_pretrained(os.path.join(out, name))
    expect(name, cast.state_dict())

# GPT-2 as on the hub: no prefix, mask buffers, and here the output matrix too.
gpt2 = varied(GPT2LMHeadModel(GPT2Config(**GPT)))
gpt2.config.architectures = ["GPT2LMHeadModel"]
bare = {k.replace("transformer.", ""): v for k, v in gpt2.state_dict().items()}
for layer in range(2):
    bare[f"h.{layer}.attn.bias"] = torch.tril(torch.ones(5, 5, dtype=torch.uint8))[None, None]
    bare[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
save_bin("gpt2-bare", gpt2.config, bare)
expect("gpt2-bare", gpt2.state_dict())

# GPT-1: as transformers saves it, and OpenAI's own files.
gpt1 = varied(OpenAIGPTDoubleHeadsModel(OpenAIGPTConfig(**GPT, num_labels=1)))
gpt1.save_pretrained(os.path.join(out, "gpt1"))
expect("gpt1", gpt1.state_dict())
path = os.path.join(out, "gpt1-npy")
os.makedirs(path)
backbone = gpt1.transformer.state_dict()
order = ["positions_embed.weight", "tokens_embed.weight"]
for layer in range(2):
    order += [f"h.{layer}.{part}" for part in (
        "attn.c_attn.weight", "attn.c_attn.bias", "attn.c_proj.weight", "attn.c_proj.bias", "ln_1.weight", "ln_1.bias",
        "mlp.c_fc.weight", "mlp.c_fc.bias", "mlp.c_proj.weight", "mlp.c_proj.bias", "ln_2.weight", "ln_2.bias")]
arrays = [backbone[name].numpy() for name in order]
arrays = [a[None] if a.ndim == 2 and i > 1 else a for i, a in enumerate(arrays)]
json.dump([list(a.shape) for a in arrays], open(os.path.join(path, "params_shapes.json"), "w"))
for i, piece in enumerate(np.array_split(np.concatenate([a.reshape(-1) for a in arrays]), 10)):
    np.save(os.path.join(path, f"params_{i}.npy"), piece)
gpt1.config.save_pretrained(path)
expect("gpt1-npy", {"transformer." + k: v for k, v in backbone.items()})

# Numbers that are hard to round.
values = torch.tensor([0., -0., 1., -1.5, 65504., 65519.996, 65520., 1e30, float("inf"), -float("inf"), float("nan"),
                       6.1e-5, 5.96e-8, 2.98e-8, 2.9802322387695312e-08, 2.9802326e-08, 1e-10, 1.00048828125, 1.0014648,
                       1.001953125, 3.3895314e38, 3.4028235e38, 1.00390625, 1.01171875, 1e-40, 0.1])
save_file({"float32": values, "float16": values.half(), "bfloat16": values.bfloat16(), "float64": values.double()},
          os.path.join(out, "roundings.safetensors"))

with open(os.path.join(out, "expected.json"), "w") as file:
    lines = []
    for name, entry in expected.items():
        if isinstance(entry, str):
            lines.append(f"{json.dumps(name)}: {json.dumps(entry)}")
        else:
            lines.append(f"{json.dumps(name)}: {{\n" +
                         ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in entry.items()) + "}")
    file.write("{\n" + ",\n".join(lines) + "\n}\n")
