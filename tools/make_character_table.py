"""Writes src/text/character_table.inc: how Hugging Face's tokenizers see each code point.

usage: make_character_table.py > src/text/character_table.inc     (needs PyPI's tokenizers)

That library mixes Unicode versions (categories of one crate, normalisation of another, a regular-expression engine's
classes), so its answers are asked for, code point by code point, instead of being derived from any one version.
"""
import ctypes
import ctypes.util
import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers

REMOVED, SPACE, PUNCTUATION, NONSPACING, LETTER, NUMBER, COMBINING, DECOMPOSES, LOWERS = (1 << i for i in range(9))
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]

clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
strip = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
nfd, lower = normalizers.NFD(), normalizers.Lowercase()
bert = pre_tokenizers.BertPreTokenizer()
letter = pre_tokenizers.Split(Regex(r"\p{L}"), "removed")
number = pre_tokenizers.Split(Regex(r"\p{N}"), "removed")
space = pre_tokenizers.Split(Regex(r"\s"), "removed")


def bits_of(c):
    s, bits = chr(c), 0
    if clean.normalize_str(s) == "":
        bits |= REMOVED
    pieces = len(bert.pre_tokenize_str("a" + s + "b"))
    bits |= {1: 0, 2: SPACE, 3: PUNCTUATION}[pieces]
    framed = "\x01" + s + "\x01"
    assert (len(space.pre_tokenize_str(framed)) != 1) == (pieces == 2), hex(c)
    bits |= LETTER if len(letter.pre_tokenize_str(framed)) != 1 else 0
    bits |= NUMBER if len(number.pre_tokenize_str(framed)) != 1 else 0
    if nfd.normalize_str(s) != s:
        bits |= DECOMPOSES
    else:
        bits |= NONSPACING if strip.normalize_str(s) == "" else 0
        bits |= COMBINING if c == 0x345 or nfd.normalize_str("a\u0345" + s) != "a\u0345" + s else 0
    bits |= LOWERS if lower.normalize_str(s) != s else 0
    return bits


def lower_exceptions():
    """Where the one-to-one lower case of utf8proc (Unicode 15) is not the library's."""
    theirs = ctypes.CDLL(ctypes.util.find_library("utf8proc"))
    for c in POINTS:
        ours = lower.normalize_str(chr(c))
        if len(ours) == 1 and ord(ours) != theirs.utf8proc_tolower(c):
            yield c, ord(ours)


ranges = []
for c in POINTS:
    b = bits_of(c)
    if b == 0:
        continue
    if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == b:
        ranges[-1][1] = c
    else:
        ranges.append([c, c, b])

print(f"// Made by tools/make_character_table.py from tokenizers {tokenizers.__version__}; not edited by hand.")
print("// clang-format off")
print("constexpr CharacterRange kCharacterRanges[] = {")
row = ""
for first, last, b in ranges:
    cell = f"{{0x{first:X},0x{last:X},{b}}},"
    if len(row) + len(cell) > 120:
        print(row)
        row = ""
    row += cell
print(row + "};")
print("constexpr LowerException kLowerExceptions[] = {")
row = ""
for upper, low in lower_exceptions():
    cell = f"{{0x{upper:X},0x{low:X}}},"
    if len(row) + len(cell) > 120:
        print(row)
        row = ""
    row += cell
print(row + "};")
print("// clang-format on")
