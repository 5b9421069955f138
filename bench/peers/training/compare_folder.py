"""Whether transformers reads a model folder that gumption wrote, and scores questions as gumption does.

usage: compare_folder.py MODEL_FOLDER QUESTIONS.jsonl SCORES.jsonl

QUESTIONS are Social IQA's lines, SCORES gumption's for them in the same order: {"id", "scores": [...]}. Scores in float32 on
the CPU, prints the largest difference, and exits with 1 where it is above 1e-4 or anything is missing from the folder.
"""
import json, math, sys
from transformers import BertForMultipleChoice
from fine_tune import load_tokenizer, logits, read_questions

folder, data, scores = sys.argv[1:4]
model, loading = BertForMultipleChoice.from_pretrained(folder, output_loading_info=True)
missing = [f"{kind}: {sorted(loading[kind])}" for kind in ("missing_keys", "mismatched_keys") if loading[kind]]
theirs = logits(model.float(), read_questions(data, "social-iqa", load_tokenizer(folder)))
with open(scores) as f:
    ours = [json.loads(line)["scores"] for line in f if line.strip()]
if missing or [len(s) for s in ours] != [len(s) for s in theirs]:
    sys.exit("\n".join(missing) or f"{scores}: {len(ours)} lines, which aren't of {data}'s {len(theirs)} questions")
apart = lambda a, b: max(abs(x - y) if math.isfinite(x - y) else math.inf for x, y in zip(a, b))
worst, at = max((apart(a, b), i) for i, (a, b) in enumerate(zip(ours, theirs)))
same = sum(a.index(max(a)) == b.index(max(b)) for a, b in zip(ours, theirs))
print(f"{len(ours)} questions: largest difference {worst:.3g} (question {at + 1}); {same} answered the same")
sys.exit(worst > 1e-4)
