"""Scoring on one GPU, transformers beside gumption, with random weights and the same drawn lengths.

usage: gpu_scoring.py GPU_SCORING_PROGRAM WORK_FOLDER [QUESTIONS]

Lengths are drawn like the papers' tables (words of context, question and answer; Social IQA 14.0/6.1/3.6 with 3 choices,
Cosmos QA 69.4/10.3/8.0 with 4). The peer runs as its users would: bf16 autocast, SDPA, batches padded to their longest
sequence, questions grouped by length; and once more with its weights in bf16, which is faster.
"""
import os, random, subprocess, sys, time
import torch
from transformers import BertConfig, BertForMultipleChoice, OpenAIGPTConfig, OpenAIGPTDoubleHeadsModel

program, work = sys.argv[1], sys.argv[2]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 2048
os.makedirs(work, exist_ok=True)
BATCHES = [int(b) for b in os.environ.get("BATCHES", "8,32,128").split(",")]
DRAWS = {"social-iqa": (14.0 + 6.1, 3.6, 3, 1.0), "cosmos-qa": (69.4 + 10.3, 8.0, 4, 1.19)}


def draw(name):
    rng = random.Random(5)
    shared, answer, choices, per_word = DRAWS[name]
    length = lambda mean, most: max(1, min(most, round(rng.gammavariate(6, mean / 6) * per_word)))
    return [(length(shared, 400) + 3, [length(answer, 60) + 1 for _ in range(choices)]) for _ in range(count)]


def make_model(kind):
    folder = f"{work}/{kind}"
    if not os.path.exists(folder):
        torch.manual_seed(1)
        if kind == "bert-large":
            model = BertForMultipleChoice(BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
                                                     intermediate_size=4096))
        else:
            model = OpenAIGPTDoubleHeadsModel(OpenAIGPTConfig(vocab_size=40481, num_labels=1))
        model.save_pretrained(folder)
    return folder


def ids(n, first):
    return [1000 + (first + 37 * i) % 20000 for i in range(n)]


def peer(kind, folder, questions, batch, weights):
    cls = BertForMultipleChoice if kind == "bert-large" else OpenAIGPTDoubleHeadsModel
    model = cls.from_pretrained(folder, attn_implementation="sdpa" if kind == "bert-large" else "eager").cuda().eval()
    if weights == "bfloat16":
        model = model.to(torch.bfloat16)
    order = sorted(questions, key=lambda q: q[0] + max(q[1]))
    batches = []
    for at in range(0, len(order), batch):
        part = order[at:at + batch]
        longest = max(s + max(c) for s, c in part)
        rows, types, masks, ends = [], [], [], []
        for shared, choices in part:
            for c in choices:
                n = shared + c
                rows.append(ids(n, 9) + [0] * (longest - n))
                types.append([0] * shared + [1] * c + [0] * (longest - n))
                masks.append([1] * n + [0] * (longest - n))
                ends.append(n - 1)
        shape = (len(part), len(part[0][1]), longest)
        batches.append([torch.tensor(x).view(shape).pin_memory() for x in (rows, types, masks)] +
                       [torch.tensor(ends).view(shape[:2]).pin_memory()])

    def run():
        total = 0
        for rows, types, masks, ends in batches:
            if kind == "bert-large":
                out = model(input_ids=rows.cuda(non_blocking=True), token_type_ids=types.cuda(non_blocking=True),
                            attention_mask=masks.cuda(non_blocking=True)).logits
            else:
                out = model(input_ids=rows.cuda(non_blocking=True), mc_token_ids=ends.cuda(non_blocking=True)).mc_logits
            total = total + out.float().sum()
        return float(total)

    best = 1e9
    with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16, enabled=weights == "autocast"):
        run()
        for _ in range(3):
            start = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - start)
    return len(questions) / best


for kind, data in (("bert-large", "social-iqa"), ("bert-large", "cosmos-qa"), ("gpt-1", "cosmos-qa"), ("gpt-1", "social-iqa")):
    folder = make_model(kind)
    questions = draw(data)
    with open(f"{work}/{data}.lengths", "w") as f:
        f.writelines(f"{s} {' '.join(map(str, c))}\n" for s, c in questions)
    for batch in BATCHES:
        ours = subprocess.run([program, folder, f"{work}/{data}.lengths", str(batch), "5"], capture_output=True, text=True)
        if ours.returncode:
            print(kind, data, batch, "FAILED", ours.stderr[-2000:], flush=True)
            continue
        speed = float(ours.stdout.split()[0])
        rates = {w: peer(kind, folder, questions, batch, w) for w in ("autocast", "bfloat16")}
        tokens = sum((s + x) for s, c in questions for x in c) / len(questions)
        print(f"{kind:10} {data:10} {batch:4} a batch: ours {speed:8.0f} q/s; transformers autocast {rates['autocast']:6.0f} "
              f"({speed / rates['autocast']:.2f}x), bf16 weights {rates['bfloat16']:6.0f} ({speed / rates['bfloat16']:.2f}x); "
              f"{tokens:.1f} padless tokens a question; {ours.stdout.strip()}", flush=True)
