"""Fine-tuning a BERT on questions with transformers, as its users write it: the peer of gumption's training.

usage: fine_tune.py --model DIR --train F --dev F [--dev F ...] --format social-iqa|codah|copa-jsonl --lr X --epochs N
                    --batch N --seed S [--first-model DIR] [--no-context] [--no-question] [--save DIR] [--device cuda|cpu]
                    [--steps N] [--dtype bfloat16|float32] [--threads N]

DIR holds vocab.txt, config.json and model.safetensors; --first-model gives other weights (fine-tuned before, say) for its
vocabulary. Settings: AdamW (fused, eps 1e-6, decay .01 on matrices), linear warm-up over 10% and then decay, clip 1, batches
padded to their longest sequence and built in the loop, bf16 autocast on a GPU, float32 on a CPU. Every --dev is scored after
each epoch; --save writes the last weights. Prints a line of JSON: "seconds" has reading, tokenising, loading, training,
scoring and saving in it, "train_seconds" the training loop alone, from which the speed comes; "accuracy", "best" and
"final" are of the first --dev in percent. --steps N stops after N steps and one before them that isn't timed, without scoring.
"""
import argparse, json, math, os, random, shutil, time
import torch
from transformers import BertForMultipleChoice, BertTokenizerFast, get_linear_schedule_with_warmup, logging

logging.disable_progress_bar()
logging.set_verbosity_error()
ASKED = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}


def read_json(path):
    """(context, question, choices, label) of Social IQA's lines or of our own, which have "choices"."""
    beside = os.path.splitext(path)[0] + "-labels.lst"
    listed = [int(x) - 1 for x in open(beside)] if os.path.exists(beside) else None
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f if line.strip()]
    assert listed is None or len(listed) == len(rows), f"{beside} has {len(listed)} labels for {len(rows)} questions"
    for i, q in enumerate(rows):
        choices = q["choices"] if "choices" in q else [q["answer" + k] for k in "ABC"]
        question = q["question"] or ASKED.get((q.get("notes") or {}).get("asks_for"), "")
        label = q.get("label")  # ours counts from 0; the hub's Social IQA has "1" to "3"
        if listed:
            label = listed[i]
        elif "correct" in q:
            label = "ABC".index(q["correct"])
        elif isinstance(label, str):
            label = int(label) - 1
        yield q["context"], question, choices, label


def read_codah(path):
    for line in open(path, encoding="utf-8"):
        _, prompt, *endings, label = line.rstrip("\n").split("\t")
        yield prompt, "", endings, int(label)


def load_tokenizer(folder):
    with open(f"{folder}/vocab.txt", encoding="utf-8") as f:
        vocab = {line.rstrip("\n"): i for i, line in enumerate(f)}
    return BertTokenizerFast(vocab=vocab, do_lower_case=True)


def read_questions(path, form, tokenizer, no_context=False, no_question=False):
    """([(ids, token types) of each choice], label) of every question: [CLS] context [unused0] question [SEP] answer [SEP]."""
    rows = list(read_codah(path) if form == "codah" else read_json(path))
    contexts, questions, choices, labels = zip(*rows)
    encode = lambda texts: tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    contexts = [[]] * len(rows) if no_context else encode(contexts)
    questions = [[]] * len(rows) if no_question else encode(questions)
    answers = iter(encode(c for cs in choices for c in cs))
    cls, sep, between = tokenizer.convert_tokens_to_ids(["[CLS]", "[SEP]", "[unused0]"])
    result = []
    for context, question, cs, label in zip(contexts, questions, choices, labels):
        first = [cls] + context + ([between] if context and question else []) + question + [sep]
        seconds = [next(answers) + [sep] for _ in cs]
        result.append(([(first + s, [0] * len(first) + [1] * len(s)) for s in seconds], label))
    return result


def load_model(folder, seed, device="cpu"):
    torch.manual_seed(seed)  # a head that the folder lacks is drawn
    return BertForMultipleChoice.from_pretrained(folder, attn_implementation="sdpa").float().to(device)


def inputs(part, device):
    assert len({len(choices) for choices, _ in part}) == 1, "questions with different numbers of choices"
    rows = [row for choices, _ in part for row in choices]
    longest = max(len(r) for r, _ in rows)
    shape = (len(part), -1, longest)
    fill = lambda x: x + [0] * (longest - len(x))
    send = lambda lists: torch.tensor(lists).view(shape).to(device, non_blocking=True)
    return {"input_ids": send([fill(r) for r, _ in rows]), "token_type_ids": send([fill(t) for _, t in rows]),
            "attention_mask": send([fill([1] * len(r)) for r, _ in rows])}


def autocast(device, dtype):
    dtype = dtype or ("bfloat16" if device == "cuda" else "float32")
    return torch.autocast(device, torch.bfloat16, enabled=dtype == "bfloat16")


def logits(model, questions, device="cpu", dtype=None, batch=128):
    """Of every question in its order; longest first, so that padding is small."""
    order = sorted(range(len(questions)), key=lambda i: -max(len(r) for r, _ in questions[i][0]))
    parts = []
    model.eval()
    with torch.inference_mode(), autocast(device, dtype):
        for at in range(0, len(order), batch):
            parts.append(model(**inputs([questions[i] for i in order[at:at + batch]], device)).logits.float())
    rows = [row for part in parts for row in part.cpu().tolist()]
    return [row for _, row in sorted(zip(order, rows))]


def accuracy(model, questions, device="cpu", dtype=None):
    scores = logits(model, questions, device, dtype)
    return 100 * sum(max(range(len(s)), key=s.__getitem__) == label for s, (_, label) in zip(scores, questions)) / len(questions)


def sync(device):
    if device == "cuda":
        torch.cuda.synchronize()


def fine_tune(model, train, devs, lr, epochs, batch, seed, device="cpu", dtype=None, steps=None):
    """Accuracies of each of `devs` after each epoch, the training's seconds, its timed questions and steps."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim < 2]  # biases and LayerNorm
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=lr,
                                  eps=1e-6, fused=True)
    total = epochs * math.ceil(len(train) / batch)
    schedule = get_linear_schedule_with_warmup(optimizer, int(0.1 * total), total)
    torch.manual_seed(seed)
    rng, train = random.Random(seed), list(train)
    accuracies, seconds, questions, done = [[] for _ in devs], 0.0, 0, 0
    for _ in range(epochs):
        model.train()
        start = time.perf_counter()
        rng.shuffle(train)
        for at in range(0, len(train), batch):
            part = train[at:at + batch]
            with autocast(device, dtype):
                loss = model(**inputs(part, device), labels=torch.tensor([label for _, label in part]).to(device)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            questions, done = questions + len(part), done + 1
            if steps and done == 1:
                sync(device)
                start, questions = time.perf_counter(), 0
            if steps and done == steps + 1:
                break
        sync(device)
        seconds += time.perf_counter() - start
        if steps and done == steps + 1:
            break
        if not steps:
            for dev, seen in zip(devs, accuracies):
                seen.append(accuracy(model, dev, device, dtype))
    assert math.isfinite(loss.item()), "the loss is no number"
    return {"accuracies": accuracies, "seconds": seconds, "questions": questions, "steps": done - 1 if steps else done}


def set_threads(threads):
    if threads:
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        torch.set_num_threads(threads)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    for name in ("--model", "--train"):
        p.add_argument(name, required=True)
    p.add_argument("--dev", action="append", default=[])
    p.add_argument("--format", choices=("social-iqa", "codah", "copa-jsonl"), required=True)
    p.add_argument("--lr", type=float, required=True)
    for name in ("--epochs", "--batch", "--seed"):
        p.add_argument(name, type=int, required=True)
    for name in ("--no-context", "--no-question"):
        p.add_argument(name, action="store_true")
    for name in ("--first-model", "--save"):
        p.add_argument(name)
    for name in ("--steps", "--threads"):
        p.add_argument(name, type=int)
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--dtype", choices=("bfloat16", "float32"))
    a = p.parse_args()
    set_threads(a.threads)
    start = time.perf_counter()
    tokenizer = load_tokenizer(a.model)
    read = lambda path: read_questions(path, a.format, tokenizer, a.no_context, a.no_question)
    train, devs = read(a.train), [read(path) for path in a.dev]
    model = load_model(a.first_model or a.model, a.seed, a.device)
    result = fine_tune(model, train, devs, a.lr, a.epochs, a.batch, a.seed, a.device, a.dtype, a.steps)
    if a.save:
        model.save_pretrained(a.save)
        shutil.copy(f"{a.model}/vocab.txt", f"{a.save}/vocab.txt")
    seen = result["accuracies"][0] if devs else []
    line = {"seconds": round(time.perf_counter() - start, 3), "train_seconds": round(result["seconds"], 3), "accuracy": seen,
            "best": max(seen, default=None), "final": seen[-1] if seen else None,
            "questions_per_second": round(result["questions"] / result["seconds"], 2), "steps": result["steps"]}
    if len(devs) > 1:
        line["accuracies"] = dict(zip(a.dev, result["accuracies"]))
    print(json.dumps(line))


if __name__ == "__main__":
    main()
