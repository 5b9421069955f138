"""What Social IQA first brings on COPA, with transformers: trained on one half of COPA's questions, tested on the other.

usage: copa_split.py --model DIR --social DIR2 --train copa-1-250.jsonl --test copa-251-500.jsonl [--seeds 1,2,3,4,5]
                     [--lr 3e-5] [--epochs 10] [--batch 32] [--device cuda|cpu] [--threads N]

DIR2 is a model that was fine-tuned on Social IQA before (fine_tune.py --save), of DIR's vocabulary. The questions are our own
JSON lines. Prints a line of JSON a run: the test half's accuracy in percent after the last epoch.
"""
import argparse, json
import torch
from fine_tune import fine_tune, load_model, load_tokenizer, read_questions, set_threads

p = argparse.ArgumentParser(usage=__doc__)
for name in ("--model", "--social", "--train", "--test"):
    p.add_argument(name, required=True)
p.add_argument("--seeds", default="1,2,3,4,5")
p.add_argument("--lr", type=float, default=3e-5)
p.add_argument("--epochs", type=int, default=10)
p.add_argument("--batch", type=int, default=32)
p.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
p.add_argument("--threads", type=int)
a = p.parse_args()
set_threads(a.threads)
tokenizer = load_tokenizer(a.model)
train, test = [read_questions(path, "copa-jsonl", tokenizer) for path in (a.train, a.test)]
for start, folder in (("plain", a.model), ("social", a.social)):
    for seed in map(int, a.seeds.split(",")):
        model = load_model(folder, seed, a.device)
        done = fine_tune(model, train, [test], a.lr, a.epochs, a.batch, seed, a.device)
        print(json.dumps({"start": start, "seed": seed, "accuracy": done["accuracies"][0][-1]}), flush=True)
