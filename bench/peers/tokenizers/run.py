"""Our tokenizers beside Hugging Face's crate and wheel: same lines, one run, one thread each, and ours on two.

usage: run.py VOCAB_DIR TEXT_FILE [MEGABYTES] [--program build/bench/tokenize_lines]

VOCAB_DIR holds bert/ and gpt2/. The first MEGABYTES (20) of TEXT_FILE are used. The peers' virtual environment and cargo
project are made in build/peers/tokenizers and kept. Rounds of the programs alternate; the best of three counts.
"""
import argparse
import os
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "../../.."))
work = os.path.join(root, "build/peers/tokenizers")


def prepare():
    os.makedirs(work, exist_ok=True)
    python = f"{work}/venv/bin/python"
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", f"{work}/venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "tokenizers==0.23.3"], check=True)
    shutil.copytree(f"{here}/crate", f"{work}/crate", dirs_exist_ok=True)
    environment = dict(os.environ, CARGO_TARGET_DIR=f"{work}/target")
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=f"{work}/crate", env=environment, check=True)
    return python


def cut(source, megabytes):
    path = f"{work}/lines.txt"
    with open(source, "rb") as file:
        text = file.read(megabytes * 1000000)
    text = text[:text.rindex(b"\n")]
    text.decode("utf-8")  # the peers take nothing else
    with open(path, "wb") as file:
        file.write(text)
    return path, len(text)


def once(command):
    seconds, ids = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), int(ids)


parser = argparse.ArgumentParser()
parser.add_argument("vocab")
parser.add_argument("text")
parser.add_argument("megabytes", nargs="?", type=int, default=20)
parser.add_argument("--program", default=f"{root}/build/bench/tokenize_lines")
given = parser.parse_args()
python = prepare()
lines, size = cut(given.text, given.megabytes)
for kind in ("bert", "gpt2"):
    json = f"{work}/{kind}.json"
    subprocess.run([python, f"{here}/make_json.py", kind, f"{given.vocab}/{kind}", json], check=True)
    programs = {
        "gumption": [given.program, f"{given.vocab}/{kind}", lines, "1"],
        "gumption, 2 threads": [given.program, f"{given.vocab}/{kind}", lines, "1", "2"],
        "crate": [f"{work}/target/release/tokenizers-peer", json, lines, "1"],
        "wheel": [python, f"{here}/wheel.py", json, lines, "1"],
    }
    best, ids = {}, set()
    for _ in range(3):
        for name, command in programs.items():
            seconds, count = once(command)
            best[name] = min(seconds, best.get(name, seconds))
            ids.add(count)
    assert len(ids) == 1, f"different numbers of ids: {ids}"
    print(f"{kind}: {size / 1e6:.1f} MB, {ids.pop()} ids")
    for name, seconds in best.items():
        print(f"  {name:20} {size / seconds / 1e6:8.1f} MB/s   gumption is {seconds / best['gumption']:.2f} x as fast")
