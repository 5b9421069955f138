"""Scoring Social IQA questions on the CPU: gumption beside transformers and onnxruntime, in one run.

usage: run.py SCORE_QUESTIONS_PROGRAM MODEL_FOLDER QUESTIONS_JSONL COUNT [THREADS]

MODEL_FOLDER is a BERT; a multiple-choice head is put on it where it has none. Every peer gets its best settings: questions
sorted by length, 48 rows a batch, padded to the longest row of the batch, tokenised beforehand (ours tokenises in the
time that is measured). Each is run three times and the best counts. Needs torch, transformers, onnx, onnxruntime.
"""
import json, os, subprocess, sys, tempfile, time
import numpy, torch
from transformers import BertForMultipleChoice, BertModel, BertTokenizerFast

program, source, data, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
threads = int(sys.argv[5]) if len(sys.argv) > 5 else 2
torch.set_num_threads(threads)
torch.manual_seed(1)
work = tempfile.mkdtemp()
tokenizer = BertTokenizerFast.from_pretrained(source)
model = BertForMultipleChoice.from_pretrained(source).eval()
model.save_pretrained(work)
tokenizer.save_pretrained(work)

rows = []
for line in list(open(data))[:count]:
    q = json.loads(line)
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False)
    first = [101] + ids(q["context"]) + [1] + ids(q["question"]) + [102]
    for k in "ABC":
        answer = ids(q["answer" + k]) + [102]
        rows.append((first + answer, [0] * len(first) + [1] * len(answer)))
rows.sort(key=lambda r: len(r[0]))
batches = []
for at in range(0, len(rows), 48):
    part = rows[at:at + 48]
    longest = max(len(r[0]) for r in part)
    fill = lambda x: x + [0] * (longest - len(x))
    batches.append([torch.tensor([fill(r[0]) for r in part]), torch.tensor([fill([1] * len(r[0])) for r in part]),
                    torch.tensor([fill(r[1]) for r in part])])
tokens = sum(len(r[0]) for r in rows)


def best(run, repeats=3):
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return count / min(times)


def peer(precision):
    bert = model.bert.to(torch.bfloat16) if precision == "bfloat16" else model.bert
    head = model.classifier.to(bert.dtype)

    def run():
        with torch.inference_mode():
            for ids, mask, types in batches:
                head(bert(input_ids=ids, attention_mask=mask, token_type_ids=types).pooler_output)
    return best(run)


def onnx_peer():
    import onnxruntime
    class Scorer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert, self.head = model.bert.float(), model.classifier.float()

        def forward(self, ids, mask, types):
            return self.head(self.bert(input_ids=ids, attention_mask=mask, token_type_ids=types).pooler_output)
    path = os.path.join(work, "model.onnx")
    axes = {n: {0: "b", 1: "t"} for n in ("ids", "mask", "types")}
    torch.onnx.export(Scorer().eval(), tuple(batches[0]), path, input_names=["ids", "mask", "types"], output_names=["y"],
                      dynamic_axes=axes, dynamo=False, opset_version=17)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    fed = [{"ids": i.numpy(), "mask": m.numpy(), "types": t.numpy()} for i, m, t in batches]
    return best(lambda: [session.run(None, f) for f in fed])


def ours(precision, plain=False, questions=count, repeats=3):
    arguments = [program, work, data, str(questions), precision, str(threads), str(repeats)] + (["plain"] if plain else [])
    return questions / float(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)


print(f"{count} questions, {tokens} tokens, {threads} threads, torch {torch.__version__}")
results = {"gumption float32": ours("float32"), "transformers float32": peer("float32")}
try:
    results["onnxruntime float32"] = onnx_peer()
except Exception as error:  # the peer is optional
    print("onnxruntime:", str(error)[:300])
results["gumption bfloat16"] = ours("bfloat16")
results["transformers bfloat16"] = peer("bfloat16")
for name, speed in results.items():
    print(f"{name:24} {speed:7.2f} questions/s")
print(f"float32: {results['gumption float32'] / results['transformers float32']:.2f}x transformers" +
      (f", {results['gumption float32'] / results['onnxruntime float32']:.2f}x onnxruntime" if "onnxruntime float32" in results else ""))
print(f"bfloat16: {results['gumption bfloat16'] / results['transformers bfloat16']:.2f}x transformers")
print(f"one question, bfloat16: {ours('bfloat16', False, 1, 30) / ours('bfloat16', True, 1, 30):.2f}x plain LibTorch calls "
      f"({1000 / ours('bfloat16', False, 1, 30):.1f} ms)")
