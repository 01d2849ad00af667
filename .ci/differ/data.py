"""Random input: text of any bytes, odd file names, compression, CSV by RFC 4180, JSON lines."""
import bz2
import gzip
import json

import zstandard

# Words that have been trouble to somebody: other spaces, other line ends, bytes that are no UTF-8, numbers, signs of shells and regexps.
WORDS = [b"a", b"b", b"ab", b"ba", b"A", b"the", b"The", b"cat", b"w1", b"w2", b"w3", b"0", b"1", b"01", b"1e0", b"1e1", b"10", b"-1",
         "é".encode(), "É".encode(), "日本".encode(), "\u00a0".encode(), "\u0085".encode(), "\u3000x".encode(), "e\u0301".encode(),
         "\u2028".encode(), "\U0001f600".encode(), b"\xff", b"\xfe\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f", b"x\xa0y", b"x\by", b"\b(", b"\b)",
         b"\x1b[31m", b"\x7f", b"\x1c", b"\"", b"'", b"\\", b"$x", b"%s", b"<b>", b"a:1", b"a,b", b"#"]
SPACES = [b" ", b" ", b" ", b" ", b"  ", b"\t", b"\r", b"\v", b"\f"]
NAMES = ["a.txt", "b.txt", "c d.txt", "é.txt", "x=1/y.txt", "sub/dir/z", "-rf", "q?[a]*.txt", "it's", "$(touch pwned)", "a:1", "#h", "{a,b}",
         "%41", "back\\slash", "new\nline", "tab\there", "\x1b[31mred", "cr\r", "~", "日本", b"\xff\xfe".decode("utf-8", "surrogateescape")]
PLAIN = [n for n in NAMES if n.isprintable() and n.isascii() and "\\" not in n and "?" not in n and ":" not in n]
HIDDEN = ["_SUCCESS", ".hidden", "_logs/x", ".git/y"]


def text(rng, size, nul=True, words=None, utf8=False):
    """Lines of words, about so many bytes."""
    pool = words or rng.sample(WORDS, rng.randint(1, len(WORDS)))
    pool = [w for w in pool if not utf8 or valid(w)] or [b"a"]
    if nul and rng.random() < 0.3:
        pool = pool + [b"\0", b"n\0ul"]
    out = bytearray(b"\xef\xbb\xbf" if rng.random() < 0.05 else b"")
    end = rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    while len(out) < size:
        for _ in range(rng.choice([0, 1, 1, 2, 5, 10, 10, 60 if rng.random() < 0.05 else 3])):
            out += rng.choice(pool)
            if rng.random() < 0.9:
                out += rng.choice(SPACES)
        out += end
    if rng.random() < 0.3:
        out = out.rstrip(b"\r\n")  # no line end at the end
    return taken(bytes(out))


def taken(b):
    """Text that is not refused as UTF-16."""
    return b"a " + b if b[:2] in (b"\xfe\xff", b"\xff\xfe") or b"\0" in b[:2] else b


def valid(b):
    try:
        b.decode()
        return True
    except UnicodeDecodeError:
        return False


def names(rng, n, plain=False):
    """So many file names, none of which is the folder of another."""
    return rng.sample(PLAIN if plain else NAMES, n)


def pack(rng, data, odds=0.25):
    """Perhaps compressed, perhaps as several members, frames or streams behind one another."""
    if rng.random() >= odds:
        return data
    how = rng.choice([lambda b: gzip.compress(b, mtime=0), bz2.compress, zstandard.ZstdCompressor().compress])
    cuts = sorted(rng.randint(0, len(data)) for _ in range(rng.choice([0, 0, 1, 3, 8])))
    pieces = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
    return b"".join(how(p) for p in pieces)


def unpack(name, data):
    if name.endswith(".gz"):
        return gzip.decompress(data)
    if name.endswith(".zst"):
        return zstandard.ZstdDecompressor().decompressobj().decompress(data) if data else b""
    return data


def files(rng, make, plain=False, most=4):
    """Some files by make(rng), one of them perhaps empty, compressed or not; and some that are to be passed over."""
    all = {n: make(rng) for n in names(rng, rng.randint(1, most), plain)}
    if rng.random() < 0.2:
        all[rng.choice(list(all))] = b""
    packed = {n: pack(rng, b) for n, b in all.items()}
    if rng.random() < 0.2:
        packed[rng.choice(HIDDEN)] = b"hidden a\n"
    return all, packed


STRINGS = ["a", "b", "c", "Ann", "1", "2", "3", "é", "日本", "\U0001f600", "", " ", "a b", "a,b", "say \"hi\"", "two\nlines", "cr\r\nlf", "tab\t",
           "back\\slash", "null", "\u2028", "it's", "e\u0301"]
NUMBERS = [["0", "-0", "0.0", "0e5", "-0.0"], ["1", "1e0", "1.0", "10e-1", "0.1E+1", "1.000"], ["2", "2.0", "20e-1"], ["1.5", "15e-1", "1.50"],
           ["-3", "-3.0", "-0.3e1"], ["3", "3.0"], ["10", "1e1", "10.0"], ["100", "1e2", "1E+2", "100.0"], ["9007199254740993"], ["9007199254740992", "9007199254740992.0"],
           ["18446744073709551616"], ["0.1", "1e-1", "0.10"], ["1e400"], ["1e-400", "10e-401"], ["123456789.125", "123456789125e-3"]]


def number(rng, few):
    return rng.choice(rng.choice(NUMBERS[:few]))


def json_string(rng, s):
    """A string as one writer or another would write it."""
    how = rng.random()
    if how < 0.6:
        return json.dumps(s, ensure_ascii=False)
    if how < 0.8:
        return json.dumps(s)
    return '"' + "".join("\\u%04x" % u if rng.random() < 0.5 or u < 32 or chr(u) in '"\\' or 0xd7ff < u < 0xe000 else chr(u)
                         for c in s for u in units(c)) + '"'


def units(c):
    b = c.encode("utf-16-be")
    return [b[i] << 8 | b[i + 1] for i in range(0, len(b), 2)]


def json_value(rng, deep=0):
    """Text of any JSON value, nested ones too."""
    kind = rng.choice(["null", "bool", "number", "string", "string", "list", "object"][: 5 if deep > 2 else 7])
    gap = rng.choice(["", "", " ", "\t"])
    if kind == "null":
        return "null"
    if kind == "bool":
        return rng.choice(["true", "false"])
    if kind == "number":
        return number(rng, len(NUMBERS))
    if kind == "string":
        return json_string(rng, rng.choice(STRINGS))
    items = [json_value(rng, deep + 1) for _ in range(rng.randint(0, 3))]
    if kind == "list":
        return "[" + gap + ("," + gap).join(items) + "]"
    return "{" + ",".join(f'"k{i}":{gap}{v}' for i, v in enumerate(items)) + gap + "}"


def json_lines(rng, rows, key, keys):
    """Objects with a key that keys() draws as JSON text, among other members."""
    out = []
    for i in range(rows):
        members = [f'{json.dumps(key)}:{rng.choice(["", " "])}{keys()}', f'"id": {i}']
        members += [f'"x{n}":{json_value(rng)}' for n in range(rng.randint(0, 2))]
        rng.shuffle(members)
        out.append("{" + rng.choice([",", ", "]).join(members) + "}")
        if rng.random() < 0.05:
            out.append(rng.choice(["", " ", "\t"]))  # an empty line
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + (end.join(out) + (end if rng.random() < 0.7 else "")).encode()


def csv_rows(rng, header, rows):
    """RFC 4180: quotes where they must be and where they need not, any line end, a byte order mark, perhaps no line end at the end."""
    end, out = rng.choice(["\n", "\r\n", "\r"]), []
    for row in [header] + rows:
        cells = []
        for i, c in enumerate(row):
            if any(s in c for s in ',"\r\n') or c == "" and len(row) == 1 or rng.random() < 0.2:
                c = '"' + c.replace('"', '""') + '"'
            cells.append(c)
        out.append(",".join(cells))
        if rng.random() < 0.03:
            out.append("")
    text = end.join(out) + (end if rng.random() < 0.7 else "")
    return (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()
