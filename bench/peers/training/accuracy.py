"""Accuracy of real BERT-base fine-tuned by gumption on one GPU, with seconds; transformers where a task needs it beside.

usage: accuracy.py PART GUMPTION MODEL DATA WORK

PART is social (three seeds, and the plain transformers loop end to end), ablations, codah (five folds) or copa (half of
the dev set against the other, with and without Social IQA first, five seeds, transformers on the same split). MODEL is a
folder of bert-base-uncased, DATA holds social-iqa/, codah/cv_split/ and copa-1-250.jsonl and copa-251-500.jsonl. Prints a
line of JSON for each run. "final" is the last model's accuracy, "best" that of the best epoch, in percent.
"""
import json, os, shutil, statistics, subprocess, sys, time

here = os.path.dirname(os.path.abspath(__file__))
part, gumption, model, data, work = sys.argv[1:6]
os.makedirs(work, exist_ok=True)


def ours(name, train, dev, *options, start=model):
    out = f"{work}/{name}"
    shutil.rmtree(out, ignore_errors=True)
    began = time.time()
    run = subprocess.run([gumption, "train", "--system", "bert", "--model", start, "--data", train, "--dev", dev, "--out", out,
                          "--device", "cuda", "--precision", "bfloat16", "--json", *options], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)
    report = json.loads(run.stdout)
    result = {"run": name, "final": round(100 * report["last_dev_accuracy"], 2), "best": round(100 * report["dev_accuracy"], 2),
              "seconds": round(time.time() - began, 1), "examples_per_second": round(report["examples_per_second"])}
    print(json.dumps(result), flush=True)
    return result


def peer(script, *options):
    began = time.time()
    run = subprocess.run([sys.executable, f"{here}/{script}", *options], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        print(json.dumps({"transformers": script, **line, "process_seconds": round(time.time() - began, 1)}), flush=True)
    return lines


def mean(name, results):
    values = [result["final"] for result in results]
    print(json.dumps({"mean of": name, "final": round(statistics.mean(values), 2), "runs": values}), flush=True)


SOCIAL = f"{data}/social-iqa/train.jsonl", f"{data}/social-iqa/dev.jsonl"
SETTINGS = ["--lr", "2e-5", "--epochs", "3", "--batch", "32"]
if part == "social":
    mean("social", [ours(f"social-{seed}", *SOCIAL, *SETTINGS, "--seed", str(seed)) for seed in (1, 2, 3)])
    peer("fine_tune.py", "--model", model, "--train", SOCIAL[0], "--dev", SOCIAL[1], "--format", "social-iqa", *SETTINGS,
         "--seed", "1", "--save", f"{work}/transformers-social")
elif part == "ablations":
    ours("no-context", *SOCIAL, *SETTINGS, "--set", "no_context=true")
    ours("answers-only", *SOCIAL, *SETTINGS, "--set", "no_context=true", "--set", "no_question=true")
elif part == "codah":
    folds = [f"{data}/codah/cv_split/fold_{i}" for i in range(5)]
    mean("codah", [ours(f"codah-{i}", f"{fold}/train.tsv", f"{fold}/test.tsv", "--lr", "3e-5", "--epochs", "6", "--batch", "16")
                   for i, fold in enumerate(folds)])
elif part == "copa":
    halves = f"{data}/copa-1-250.jsonl", f"{data}/copa-251-500.jsonl"
    settings = ["--lr", "3e-5", "--epochs", "10", "--batch", "32", "--set", "template=social-iqa"]
    for name, start in (("plain", model), ("social", f"{work}/social-1")):
        mean(f"copa, {name}", [ours(f"copa-{name}-{seed}", *halves, *settings, "--seed", str(seed), start=start)
                               for seed in (1, 2, 3, 4, 5)])
    runs = peer("copa_split.py", "--model", model, "--social", f"{work}/transformers-social", "--train", halves[0],
                "--test", halves[1])
    for start in ("plain", "social"):
        values = [run["accuracy"] for run in runs if run["start"] == start]
        print(json.dumps({"mean of": f"copa, {start}, transformers", "final": round(statistics.mean(values), 2)}), flush=True)
