"""wheel.py TOKENIZER.json LINES ROUNDS: the wheel's best time over the lines, one thread, ids only."""
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
lines = open(sys.argv[2], encoding="utf-8", newline="\n").read().split("\n")
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    ids = 0
    for at in range(0, len(lines), 1024):
        for encoding in tokenizer.encode_batch_fast(lines[at:at + 1024], add_special_tokens=False):
            ids += len(encoding.ids)
    print(time.perf_counter() - start, ids)
