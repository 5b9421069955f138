"""Lengths of questions in tokens, drawn like the papers' tables: the same ones as bench/peers/models/gpu_scoring.py draws.

usage: draw_lengths.py OUT_FOLDER [QUESTIONS]

Writes social-iqa.txt and cosmos-qa.txt, a line a question: the tokens that its choices share, then those of each choice.
"""
import os, random, sys

DRAWS = {"social-iqa": (14.0 + 6.1, 3.6, 3, 1.0), "cosmos-qa": (69.4 + 10.3, 8.0, 4, 1.19)}


def draw(name, count):
    rng = random.Random(5)
    shared, answer, choices, per_word = DRAWS[name]
    length = lambda mean, most: max(1, min(most, round(rng.gammavariate(6, mean / 6) * per_word)))
    return [(length(shared, 400) + 3, [length(answer, 60) + 1 for _ in range(choices)]) for _ in range(count)]


if __name__ == "__main__":
    out, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2048
    os.makedirs(out, exist_ok=True)
    for name in DRAWS:
        with open(f"{out}/{name}.txt", "w") as f:
            f.writelines(f"{s} {' '.join(map(str, c))}\n" for s, c in draw(name, count))
