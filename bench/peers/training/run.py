"""Fine-tuning on one GPU, transformers beside gumption: random weights, the same drawn lengths, the same steps.

usage: run.py GPU_TRAINING_PROGRAM WORK_FOLDER [MODEL ...]      (MODEL: bert-large or gpt; without one, both)

Prints a line of JSON for each pair. What is taken: the hardware's share counts only real tokens (6 FLOP for each of the
matrices' numbers and token, attention left out) against 790 TFLOP/s, what a large bf16 matrix product reaches on an H200.
"""
import json, os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
program, work, models = sys.argv[1], sys.argv[2], sys.argv[3:]
PAIRS = [("bert-large", "social-iqa", 8, 4.5), ("bert-large", "social-iqa", 32, 2.8), ("bert-large", "cosmos-qa", 8, 3.0),
         ("bert-large", "cosmos-qa", 32, 1.4), ("gpt", "cosmos-qa", 32, 8.0)]
MATRICES = {"bert-large": 302e6, "gpt": 85e6 + 31e6}  # numbers that each token is multiplied with
PEAK = 790e12


def last_json(command):
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{out.stdout}{out.stderr}")
    return json.loads(out.stdout.strip().splitlines()[-1])


lengths = f"{work}/lengths"
subprocess.run([sys.executable, f"{here}/draw_lengths.py", lengths], check=True)
for kind, data, batch, wanted in PAIRS:
    if models and kind not in models:
        continue
    peer = last_json([sys.executable, f"{here}/gpu_training.py", f"{lengths}/{data}.txt", kind, str(batch), "40", work])
    ours = last_json([program, f"{lengths}/{data}.txt", f"{work}/{kind}", str(batch), "100"])
    ratio = ours["questions_per_second"] / peer["questions_per_second"]
    # What choices share is computed once by us and counted for each choice, as the peer computes it.
    share = ours["tokens_per_second"] * 6 * MATRICES[kind] / PEAK
    print(json.dumps({"model": kind, "data": data, "batch": batch, "transformers": peer["questions_per_second"],
                      "gumption": ours["questions_per_second"], "ratio": round(ratio, 2), "wanted": wanted,
                      "share_of_peak": round(share, 3)}), flush=True)
