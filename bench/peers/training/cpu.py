"""Fine-tuning on the CPU, transformers beside gumption: the same questions a step, two threads, turn by turn.

usage: cpu.py GUMPTION MODEL TRAIN.jsonl [STEPS] [THREADS]

TRAIN is Social IQA's file, with its labels beside it. Prints questions a second of each turn and the ratio of the best.
"""
import json, os, shutil, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
gumption, model, train = sys.argv[1:4]
steps = int(sys.argv[4]) if len(sys.argv) > 4 else 10
threads = sys.argv[5] if len(sys.argv) > 5 else "2"


def ours(precision):
    with tempfile.TemporaryDirectory() as work:
        out = f"{work}/run"
        subprocess.run([gumption, "train", "--quiet", "--system", "bert", "--model", model, "--data", train, "--out", out, "--lr",
                        "1e-4", "--batch", "32", "--steps", str(steps + 2), "--threads", threads, "--precision", precision],
                       check=True, stdout=subprocess.DEVNULL)
        lines = [json.loads(line) for line in open(f"{out}/log.jsonl")][2:]  # the first steps set the kernels up
        return len(lines) / sum(1 / line["examples_per_second"] for line in lines)


def theirs(precision):
    extra = [] if precision == "float32" else ["--dtype", precision]
    run = subprocess.run([sys.executable, f"{here}/fine_tune.py", "--model", model, "--train", train, "--format", "social-iqa", "--lr",
                          "1e-4", "--epochs", "3", "--batch", "32", "--seed", "1", "--device", "cpu", "--threads", threads, "--steps",
                          str(steps), *extra], capture_output=True, text=True, check=True)
    return json.loads(run.stdout.strip().splitlines()[-1])["questions_per_second"]


for precision in ("float32", "bfloat16"):
    best = {"gumption": 0, "transformers": 0}
    for _ in range(2):
        for name, run in (("gumption", ours), ("transformers", theirs)):
            speed = run(precision)
            best[name] = max(best[name], speed)
            print(f"{precision} {name}: {speed:.1f} questions/s", flush=True)
    print(f"{precision} ratio {best['gumption'] / best['transformers']:.2f}", flush=True)
