"""Fine-tuning steps of transformers on one GPU, with random weights and drawn lengths.

usage: gpu_training.py LENGTHS KIND BATCH STEPS WORK_FOLDER      (KIND: bert-large, bert-base or gpt)

LENGTHS is one of draw_lengths.py's files. The model is made once in WORK_FOLDER/KIND, where others can read it too. The peer
runs with its best settings: bf16 autocast, SDPA (OpenAI GPT has only its own attention), fused AdamW, batches padded to their
longest sequence, from batch 32 on questions grouped by length, and batches that lie ready in pinned memory. 5 steps go
before; then STEPS are timed twice, and the better time counts. Prints a line of JSON. Tokens are real ones, not padding.
Without a GPU it runs on the CPU, and LAYERS=2 makes the model shallower: for trying the script out.
"""
import json, math, os, random, sys, time
import torch
from transformers import (BertConfig, BertForMultipleChoice, OpenAIGPTConfig, OpenAIGPTDoubleHeadsModel,
                          get_linear_schedule_with_warmup, logging)

logging.disable_progress_bar()
WARM_UP, REPEATS, GROUPED_FROM, CHUNK = 5, 2, 32, 50  # a chunk has at most as many batches as transformers' own sampler takes
device = "cuda" if torch.cuda.is_available() else "cpu"


def make_model(kind, work):
    folder = f"{work}/{kind}"
    if not os.path.exists(f"{folder}/model.safetensors"):
        torch.manual_seed(1)
        layers = int(os.environ.get("LAYERS", 24 if kind == "bert-large" else 12))
        if kind == "gpt":
            model = OpenAIGPTDoubleHeadsModel(OpenAIGPTConfig(vocab_size=40481, num_labels=1, n_layer=layers))
        elif kind == "bert-large":
            model = BertForMultipleChoice(BertConfig(hidden_size=1024, num_hidden_layers=layers, num_attention_heads=16,
                                                     intermediate_size=4096))
        else:
            model = BertForMultipleChoice(BertConfig(num_hidden_layers=layers))
        model.save_pretrained(folder)
    cls = OpenAIGPTDoubleHeadsModel if kind == "gpt" else BertForMultipleChoice
    return cls.from_pretrained(folder, attn_implementation="eager" if kind == "gpt" else "sdpa").to(device).train()


def ids(n, first):
    return [1000 + (first + 37 * i) % 20000 for i in range(n)]


def make_batch(part, rng):
    """Tensors that a step takes, and the batch's real tokens."""
    longest = max(s + max(c) for s, c in part)
    rows, types, masks, lm_labels, ends = [], [], [], [], []
    for shared, choices in part:
        first = rng.randrange(20000)
        for c in choices:
            n, pad = shared + c, longest - shared - c
            rows.append(ids(n, first) + [0] * pad)
            types.append([0] * shared + [1] * c + [0] * pad)
            masks.append([1] * n + [0] * pad)
            lm_labels.append(ids(n, first) + [-100] * pad)
            ends.append(n - 1)
    shape = (len(part), len(part[0][1]), longest)
    tensors = [torch.tensor(x).view(shape) for x in (rows, types, masks, lm_labels)] + [
        torch.tensor(ends).view(shape[:2]), torch.tensor([rng.randrange(shape[1]) for _ in part])]
    return [t.pin_memory() if device == "cuda" else t for t in tensors], sum(ends) + len(ends)


def make_batches(questions, batch, count):
    """Full batches in the order of as many epochs as `count` needs."""
    rng, batches = random.Random(1), []
    while len(batches) < count:
        order = rng.sample(questions, len(questions))
        if batch >= GROUPED_FROM:
            chunks = [order[at:at + CHUNK * batch] for at in range(0, len(order), CHUNK * batch)]
            order = [q for chunk in chunks for q in sorted(chunk, key=lambda q: -q[0] - max(q[1]))]
        epoch = [order[at:at + batch] for at in range(0, len(order) - batch + 1, batch)]
        rng.shuffle(epoch)
        batches += [make_batch(part, rng) for part in epoch[:count - len(batches)]]
    return batches


lengths, kind, batch, steps, work = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
assert kind in ("bert-large", "bert-base", "gpt"), kind
questions = [(int(s), [int(x) for x in c]) for s, *c in map(str.split, open(lengths))]
assert len(questions) >= batch, "fewer questions than a batch has"
batches = make_batches(questions, batch, WARM_UP + steps)
model = make_model(kind, work)
matrices = [p for p in model.parameters() if p.ndim > 1]
others = [p for p in model.parameters() if p.ndim < 2]
optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=2e-5,
                              eps=1e-6, fused=True)
total = WARM_UP + REPEATS * steps
schedule = get_linear_schedule_with_warmup(optimizer, total // 10, total)


def step(tensors):
    rows, types, masks, lm_labels, ends, labels = [t.to(device, non_blocking=True) for t in tensors]
    with torch.autocast(device, torch.bfloat16):
        if kind == "gpt":  # its attention looks back only, so padding at the end needs no mask
            out = model(input_ids=rows, mc_token_ids=ends, labels=lm_labels, mc_labels=labels)
            loss = out.mc_loss + 0.5 * out.loss
        else:
            loss = model(input_ids=rows, token_type_ids=types, attention_mask=masks, labels=labels).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def sync():
    if device == "cuda":
        torch.cuda.synchronize()


for tensors, _ in batches[:WARM_UP]:
    step(tensors)
best = math.inf
for _ in range(REPEATS):
    sync()
    start = time.perf_counter()
    for tensors, _ in batches[WARM_UP:]:
        loss = step(tensors)
    sync()
    best = min(best, time.perf_counter() - start)
assert math.isfinite(loss.item()), "the loss is no number"
tokens = sum(t for _, t in batches[WARM_UP:])
print(json.dumps({"kind": kind, "data": os.path.splitext(os.path.basename(lengths))[0], "batch": batch,
                  "questions_per_second": round(batch * steps / best, 1), "tokens_per_second": round(tokens / best),
                  "steps": steps}))
