"""make_json.py KIND VOCAB_DIR OUT.json: the tokenizer.json of a vocabulary folder, for the peers; KIND is bert or gpt2."""
import sys
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

kind, folder, out = sys.argv[1:]
if kind == "bert":
    tokenizer = Tokenizer(models.WordPiece.from_file(f"{folder}/vocab.txt", unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"])
else:
    tokenizer = Tokenizer(models.BPE.from_file(f"{folder}/encoder.json", f"{folder}/vocab.bpe"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
tokenizer.save(out)
