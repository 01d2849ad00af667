"""The applications and examples: for each a way to draw a case, and an oracle that shares no code with it.

A case is a job file, the files that it reads, and how its output is compared. Where two sides differ by definition, the generator
leaves such input out, and says so here.
"""
import csv
import io
import json
import re
import subprocess
import zlib
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import duckdb

import data

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Case:
    """HERE/ stands for the folder of the case, and HERE- for what makes its names its own, in the job and in what is expected."""
    job: str
    files: dict  # what is written
    plain: dict = field(default_factory=dict)  # the same, unpacked, without what is to be passed over
    ask: dict = field(default_factory=dict)  # what the oracle has to know
    out: str = "out"
    unit: str = "lines"  # what output is made of: lines, counts (before a TAB), json, records (of 100 bytes), index, validate, share (some of
    # the lines that are wanted)
    order: str = ""  # what must be in order: exact (all, as the oracle has it), line or tab or last (each part by the line, by what is
    # before its first or last TAB), total (all parts by their first ten bytes)
    want: list = None  # the units, in the oracle's order if order is exact


def job(rng, app, params=None, reduces=None, more=""):
    n = rng.choice([1, 1, 2, 3, 7]) if reduces is None else reduces
    head = f"name: HERE-job\napp: {app}\ninput: HERE/in/\noutput: HERE/out\nreduces: {n}\n"
    if params:
        head += f"params: {json.dumps(params)}\n"
    if rng.random() < 0.15:
        head += f"compress: {rng.choice(['gzip', 'zstd'])}\n"
    return head + more


def example(path):
    """A job file of the examples, reading and writing other places."""
    src = re.sub(r" *(^|\s)#.*", "", (ROOT / "examples" / path).read_text(), flags=re.M)
    src = re.sub(r"^(name|after): (.*)$", r"\1: HERE-\2", src, flags=re.M)
    src = re.sub(r"^output: out/(.*)$", r"output: HERE/\1", src, flags=re.M)
    src = re.sub(r"^input: out/(.*)$", r"input: HERE/\1", src, flags=re.M)
    src = re.sub(r"^input: \[.*\]$", "input: HERE/in/", src, flags=re.M)
    src = re.sub(r"path: examples/tables/", "path: HERE/in/", src)
    return src.lstrip("\n")


def counted(words):
    return [w + b"\t%d" % n for w, n in sorted(Counter(words).items())]


def lines(b):
    return b.split(b"\n")[: -1 if b.endswith(b"\n") or not b else None]


def text_of(b):
    """A file as its lines are read: they end with LF, CR LF or CR, and a byte order mark belongs to none."""
    return b.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def whole(case):
    """All input, each file ended by a LF, as no line goes on in the next file."""
    return b"".join(b + (b"\n" if b and not b.endswith(b"\n") else b"") for b in map(text_of, case.plain.values()))


def gnu(script, text):
    p = subprocess.run(["sh", "-c", script], input=text, capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    if p.returncode not in (0, 1) or p.stderr:
        raise RuntimeError(f"{script}: exit code {p.returncode}: {p.stderr.decode()}")
    return p.stdout


# Words

def draw_words(app):
    def draw(rng, size):
        plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)))
        return Case(job(rng, app), files, plain, order="tab")
    return draw


def draw_example(path, out, nul=True, most=4, order="tab", unit="lines"):
    def draw(rng, size):
        plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size), nul), most=most)
        return Case(example(path), files, plain, out=out, order=order, unit=unit)
    return draw


def draw_program(name):
    def draw(rng, size):
        plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)))
        return Case(job(rng, f"bin/{name}"), files, plain, order="tab")
    return draw


def streamed(rng, map, combine, reduce, files, reduces=None):
    """A job of commands; a combiner or reducer may be missing."""
    n = rng.choice([1, 2, 3]) if reduces is None else reduces
    given = "".join(f"{role}: {json.dumps(command)}\n" for role, command in (("combine", combine), ("reduce", reduce)) if command)
    return (f"name: HERE-job\nmap: {json.dumps(map)}\n{given}files: [{files}]\nenv: {{LC_ALL: C}}\n"
            f"one_command: true\ninput: HERE/in/\noutput: HERE/out\nreduces: {n}\n")


def draw_streamed(programs, order="tab"):
    """A program as mapper, reducer and perhaps combiner of Hadoop Streaming; or words in a pipe, as one would try it in a shell."""
    def draw(rng, size):
        program = rng.choice(programs)
        tool = "bin/" + program.split()[0]
        command = lambda role: f"./{program}".replace("ROLE", role) if "ROLE" in program else f"./{program} {role}"
        plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)), most=2)
        if order == "tab" and rng.random() < 0.3:
            pipe = f"sh -c '{command('map')} | sort | {command('reduce')}'"
            return Case(streamed(rng, "cat", None, pipe, tool, 1), files, plain)  # a BS orders before the TAB behind a key, so lines order otherwise
        combine = command("combine") if rng.random() < 0.5 else None
        return Case(streamed(rng, command("map"), combine, command("reduce"), tool), files, plain, order=order)
    return draw


def draw_combine_alone(rng, size):
    """A combiner without a reducer combines in the reduces, too."""
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size), nul=False), most=2)
    return Case(streamed(rng, "awk -f words.awk", "awk -f sum.awk", None, "examples/streaming/words.awk, examples/streaming/sum.awk"),
                files, plain, order="tab")


def gnu_words(case):
    """tr, sort, uniq: words by ASCII whitespace."""
    out = gnu(r"tr -s '[:space:]' '\n' | sed '/^$/d' | sort | uniq -c", whole(case))
    return [w + b"\t" + n for n, w in (line.lstrip().split(b" ", 1) for line in lines(out))]


def python_words(case):
    """bytes.split: words by ASCII whitespace."""
    return counted(whole(case).split())


UNICODE_SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def unicode_words(case):
    """Words by Unicode's White_Space, of which str.split has more: U+001C to U+001F."""
    text = whole(case).decode("utf-8", "surrogateescape")
    return counted(w.encode("utf-8", "surrogateescape") for w in UNICODE_SPACE.split(text) if w)


def top_ten_of_words(case):
    """shell-top lists ten, the most frequent first. Which of equally frequent ones it lists is not said, so counts alone are compared."""
    return sorted((b"%d" % n for n in sorted(Counter(whole(case).split()).values())[-10:]), key=int, reverse=True)


# Grep. What a pattern is made of means the same to RE2 and to Python's re: \s, \d and \w are not in it (RE2's are ASCII, and its \s has no
# \v), nor letters with unusual cases. Where a pattern finds an empty text, only_matching is not asked for: RE2 and Python differ by
# definition in what they find behind it.

def pattern(rng, deep=0):
    kind = rng.randint(0, 9 if deep < 2 else 4)
    if kind <= 2:
        return rng.choice(["a", "b", "ab", "the", "cat", "w1", "1", "é", "日", "A", "x", "0"])
    if kind == 3:
        return rng.choice(["[a-c]", "[^a-c]", "[0-9]", "[A-Za-z0-9_]", "[^ ]", ".", r"\t", r"\.", "[é日]"])
    if kind == 4:
        return rng.choice(["^", "$", "a", "b"])
    if kind == 5:
        return f"(?:{pattern(rng, deep + 1)}|{pattern(rng, deep + 1)})"
    if kind == 6:
        return f"(?:{pattern(rng, deep + 1)}){rng.choice(['*', '+', '?', '{2}', '{1,3}', '*?', '+?', '??'])}"
    if kind == 7:
        return f"({pattern(rng, deep + 1)})"
    return pattern(rng, deep + 1) + pattern(rng, deep + 1)


def draw_grep(rng, size):
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)), plain=True)
    expr, fold = pattern(rng), rng.random() < 0.3
    expr_py = re.compile(expr.replace("$", r"\Z"), re.I if fold else 0)  # $ of Python is also before a LF at the end
    only = rng.random() < 0.4 and all(m.group() for line in lines(b"\n".join(map(text_of, plain.values()))) for m in expr_py.finditer(decoded(line)))
    params = {"pattern": expr, "ignore_case": fold, "only_matching": only}
    n = rng.choice([0, 1, 1, 2, 5])
    return Case(job(rng, "grep", params, n), files, plain, {"re": expr_py, "gnu": expr, "fold": fold, "only": only, "count": n > 0},
                order="last" if n else "exact")


def decoded(line):
    return line.decode("utf-8", "surrogateescape")


def python_grep(case):
    ask, found = case.ask, []
    for name in walked(case.plain):
        for line in lines(text_of(case.plain[name])):
            if ask["only"]:
                found += [m.group().encode("utf-8", "surrogateescape") for m in ask["re"].finditer(decoded(line))]
            elif ask["re"].search(decoded(line)):
                found.append(line)
    return counted(found) if ask["count"] else [line + b"\t1" for line in found]


def gnu_grep(case):
    """GNU grep for what its extended expressions have too and for text that is UTF-8, else Python's re."""
    ask, text = case.ask, whole(case)
    if ask["only"] or not ask["count"] or not data.valid(text) or b"\0" in text or re.search(r"\?:|\?\?|\*\?|\+\?|\\t|\^|\$", ask["gnu"]):
        return python_grep(case)
    p = subprocess.run(["grep", "-aE" + "i" * ask["fold"], "-e", ask["gnu"]], input=text, capture_output=True, env={"LC_ALL": "C.UTF-8"})
    if p.returncode > 1:
        raise RuntimeError(f"grep: {p.stderr.decode()}")
    return counted(lines(p.stdout))


def walked(files):
    """Names in the order in which a folder is read: by their parts."""
    return sorted(files, key=lambda n: n.encode("utf-8", "surrogateescape").split(b"/"))


def draw_find(rng, size):
    """examples/find.yaml"""
    some = rng.sample(data.WORDS, 10) + [b"deadline", b"deadlines", b"a.deadline", b"Deadline", b"dead", b"line"]
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size), words=some))
    return Case(example("find.yaml"), files, plain, out="find", order="last")


def lines_with_deadline(case):
    return counted(line for line in lines(whole(case)) if b"deadline" in line)


# Sorting

def draw_sort(rng, size):
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)))
    n = rng.choice([1, 1, 2, 5])
    return Case(job(rng, "sort", None, n), files, plain, order="exact" if n == 1 else "line")


def gnu_sort(case):
    return lines(gnu("sort", whole(case)))


def gnu_sort_of_records(case):
    """A line without a TAB is a key whose value is empty, and is written with one, as Hadoop does it."""
    return [line if b"\t" in line else line + b"\t" for line in gnu_sort(case)]


def draw_loadgen(rng, size):
    """Whole numbers of copies only: which lines of a fraction pass depends on how they are spread over tasks."""
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)), plain=True)
    n, a, b = rng.choice([0, 1, 3]), rng.choice([0, 1, 1, 2, 3]), rng.choice([0, 1, 1, 2])
    params = {"map_output": a, "reduce_output": b}
    if rng.random() < 0.1:
        params["map_cpu"] = "1us"
    return Case(job(rng, "loadgen", params, n), files, plain, {"copies": a * (b if n else 1)}, order="line" if n else "exact")


def repeated(case):
    return [line for n in walked(case.plain) for line in lines(text_of(case.plain[n])) for _ in range(case.ask["copies"])]


def draw_promises(rng, size):
    """One of the jobs of examples/promises.yaml, alone. Which lines pass depends on how they are spread over tasks; how many, within bounds."""
    job = rng.choice(re.sub(r"map_cpu: \w+", "map_cpu: 1us", example("promises.yaml")).split("---\n"))
    job = re.sub(r"^(after: .*|run:|  .*)\n", "", job, flags=re.M)  # its first job says how all of them run
    plain, files = data.files(rng, lambda r: b"".join(b"%d\n" % r.randint(0, 999999) for _ in range(r.randint(0, size // 8))))
    return Case(job, files, plain, out=re.search("^output: HERE/(.*)$", job, re.M).group(1), unit="share", order="line")


def all_lines(case):
    return lines(whole(case))


def draw_teragen(rng, size):
    def ranges(r):
        return "".join(f"{r.choice([r.randint(0, 50), r.randint(0, 2**62)])}{r.choice([' ', '  ', chr(9)])}{r.choice([0, 1, r.randint(0, 20)])}\n"
                       + ("\n" if r.random() < 0.1 else "") for _ in range(r.randint(0, 1 + size // 1000))).encode()
    plain, files = data.files(rng, ranges, plain=True)
    return Case(job(rng, "teragen", None, 0), files, plain, unit="records", order="exact")


def rows_of_tera(case):
    """The rows as the application's doc has them: keys by SplitMix64 of the number, here in whole numbers of any size."""
    def mix(n):
        z = (n + 1) * 0x9E3779B97F4A7C15 % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31
    rows = []
    for name in walked(case.plain):
        for line in lines(case.plain[name]):
            first, count = map(int, line.split() or (0, 0))
            for n in range(first, first + count):
                key = bytes(32 + ((mix(2 * n + i // 5) >> 12 * (i % 5)) % 4096 * 95 >> 12) for i in range(10))
                rows.append(key + b"  %032X  " % n + bytes(65 + (n + i // 4) % 26 for i in range(52)) + b"\r\n")
    return rows


def records(rng, size):
    keys = [rng.randbytes(10) for _ in range(rng.randint(1, 30))] if rng.random() < 0.3 else None
    return b"".join((rng.choice(keys) if keys else rng.randbytes(10)) + rng.randbytes(90) for _ in range(rng.randint(0, size // 100)))


def draw_terasort(rng, size):
    plain, files = data.files(rng, lambda r: records(r, size))
    return Case(job(rng, "terasort"), files, plain, unit="records", order="total")


def all_records(case):
    text = b"".join(case.plain.values())
    return sorted(text[i:i + 100] for i in range(0, len(text), 100))


def draw_teravalidate(rng, size):
    plain, files = data.files(rng, lambda r: records(r, size), plain=True)
    if rng.random() < 0.6:  # in order from file to file
        rows = all_records(Case("", {}, plain))
        cuts = sorted(rng.randint(0, len(rows)) for _ in plain)
        cuts[-1] = len(rows)
        plain = {n: b"".join(rows[a:b]) for n, a, b in zip(walked(plain), [0] + cuts, cuts)}
        files = {n: data.pack(rng, b) for n, b in plain.items()}
    return Case(job(rng, "teravalidate", None, 1), files, plain, unit="validate")


def summed_up(case):
    """One line "misordered" stands for all: how many there are depends on the blocks. Where nothing is read, nothing is reduced."""
    text = b"".join(case.plain[n] for n in walked(case.plain))
    rows = [text[i:i + 100] for i in range(0, len(text), 100)]
    if not rows:
        return []
    bad = any(a[:10] > b[:10] for a, b in zip(rows, rows[1:]))
    return [b"misordered"] * bad + [b"records\t%d" % len(rows), b"checksum\t%x" % sum(map(zlib.crc32, rows))]


# Index

def draw_index(rng, size):
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size)), most=6)
    return Case(job(rng, "index"), files, plain, unit="index", order="tab")


def index_of_files(case):
    """word TAB file:count..., names of files as they are; those that the output quotes are unquoted before they are compared."""
    of = {}
    for name, text in case.plain.items():
        for word, n in Counter(text_of(text).split()).items():
            of.setdefault(word, []).append(b"HERE/in/" + name.encode("utf-8", "surrogateescape") + b":%d" % n)
    return [word + b"\t" + b"\t".join(sorted(all)) for word, all in of.items()]


# Top k

def draw_topk(rng, size):
    """Numbers that doubles tell apart, as the application compares doubles before it compares whole numbers of 64 bits."""
    k, smallest, by = rng.choice([1, 3, 10, 1000]), rng.random() < 0.3, rng.choice(["count", "value"])
    if by == "count":
        words = rng.sample(data.WORDS, rng.randint(1, 12))
        plain, files = data.files(rng, lambda r: data.taken(b"\n".join(r.choice(words) for _ in range(r.randint(0, size // 4)))))
    else:
        def valued(r):
            numbers = ["10", "1e1", "10.0", str(r.randint(-20, 20)), f"{r.randint(-20, 20) / 4}", f"{r.randint(1, 9)}e{r.randint(-3, 18)}", str(r.randint(-2**52, 2**52)), "+7", "007"]
            return b"".join(b"\t".join(r.choice(data.WORDS) for _ in range(r.choice([1, 1, 2]))) + b"\t" + r.choice(numbers).encode() +
                            r.choice([b"\n", b"\n", b"\r\n"]) for _ in range(r.randint(0, size // 10)))
        plain, files = data.files(rng, lambda r: data.taken(valued(r)))
    return Case(job(rng, "topk", {"k": k, "by": by, "smallest": smallest}, 1), files, plain, {"k": k, "by": by, "sign": 1 if smallest else -1}, order="exact")


def duckdb_top(cases):
    """DuckDB counts and ranks, all cases in one question. Bytes go through it as text in Latin-1, which keeps their order."""
    rows = []
    for i, case in enumerate(cases):
        for line in lines(whole(case)):
            item, number = (line, b"1") if case.ask["by"] == "count" else line.rsplit(b"\t", 1)
            rows.append((i, item.decode("latin-1"), number.decode(), float(number)))
    db = duckdb.connect()
    db.execute("create table t(c int, item varchar, text varchar, x double)")
    db.execute("create table q(c int, k int, way varchar, sign int)")
    fill(db, "t", rows)
    fill(db, "q", [(i, c.ask["k"], c.ask["by"], c.ask["sign"]) for i, c in enumerate(cases)])
    answer = db.execute("""
        with counted as (
            select c, item, count(*)::varchar as text, count(*)::double as x from t join q using (c) where way = 'count' group by c, item
            union all select c, item, text, x from t join q using (c) where way = 'value')
        select c, item, text from counted join q using (c)
        qualify row_number() over (partition by c order by sign * x, item, text) <= k
        order by c, sign * x, item, text""").fetchall()
    for case in cases:
        case.want = []
    for i, item, text in answer:
        cases[i].want.append(item.encode("latin-1") + b"\t" + text.encode())


def fill(db, table, rows):
    if rows:
        marks = ", ".join("unnest(?)" for _ in rows[0])
        db.execute(f"insert into {table} select {marks}", [list(column) for column in zip(*rows)])


def draw_top_example(rng, size):
    plain, files = data.files(rng, lambda r: data.text(r, r.randint(0, size), words=r.sample(data.WORDS, 15)))
    return Case(example("tables/top.yaml"), files, plain, out="top", order="exact")


def top_of_words(case):
    """The ten most frequent words as CSV by RFC 4180. Compared as rows, so a word that holds a comma or a quote is in quotes."""
    top = sorted(Counter(whole(case).split()).items(), key=lambda item: (-item[1], item[0]))[:10]
    rows = [b'"' + w.replace(b'"', b'""') + b'"' if b'"' in w or b"," in w else w for w, _ in top]
    return [b"word,count"] + [w + b",%d" % n for w, (_, n) in zip(rows, top)]


# Joins

def draw_join(rng, size):
    """Of lines with TABs, CSV and JSON. JSON: keys are scalars or null, and no string looks like a number or a truth value in another
    form than the one that it is compared in, as a number and a string of the same text are one key, so that CSV can be joined with JSON. CSV and
    JSON are UTF-8, as they must be."""
    kind, n = rng.choice(["inner", "left", "right", "outer"]), rng.choice([1, 2, 5])
    if rng.random() < 0.3:
        return draw_join_lines(rng, size, kind, n)
    few, only = rng.randint(2, len(data.NUMBERS)), rng.random()
    forms, sides, files, formats = [rng.choice(["json", "json", "csv"]) for _ in range(2)], [], {}, []

    def json_key():
        if rng.random() < 0.15:
            return "null"
        if only < 0.3 or only < 0.6 and rng.random() < 0.5:
            return data.number(rng, few)
        return "true" if rng.random() < 0.03 else data.json_string(rng, rng.choice(data.STRINGS))

    for side, form in enumerate(forms):
        name, rows = rng.choice(data.PLAIN), rng.randint(0, max(1, min(size, 6000) // 150))
        rows = 0 if rng.random() < 0.05 else rows
        if form == "json":
            key = "user"
            text = data.json_lines(rng, rows, key, json_key)
            read = [json_row(line, key) for line in lines(text_of(text)) if line.strip()]
        else:
            key = rng.choice(["user", "a \"key\"", "k,1", "é"])
            header = rng.sample([key, "x", "y"], 3)
            text = data.csv_rows(rng, header, [[rng.choice(data.STRINGS) for _ in header] for _ in range(rows)])
            read = [(r[key], {k: v for k, v in r.items()}) for r in rows_of_csv(text)]
        sides.append(read)
        formats.append((key, form))
        files[f"{'LR'[side]}/{name}"] = data.pack(rng, text)
    params = {"kind": kind, "left_key": formats[0][0], "right_key": formats[1][0]}
    return Case(join_job(params, n, [f for _, f in formats], "output_format: json\n"), files, ask={"kind": kind, "sides": sides}, unit="json")


def join_job(params, reduces, formats, more=""):
    inputs = "".join(f"  - {{name: {name}, path: HERE/in/{name[0].upper()}/, format: {f}}}\n" for name, f in zip(["left", "right"], formats))
    return f"name: HERE-job\napp: join\nparams: {json.dumps(params)}\ninputs:\n{inputs}output: HERE/out\nreduces: {reduces}\n{more}"


def parsed(line):
    """JSON with its numbers as they are written."""
    number = lambda text: {"number": text}
    return json.loads(line, parse_int=number, parse_float=number)


def json_row(line, key):
    row = parsed(line)
    return key_text(row[key]), row


def key_text(value):
    """What a key is compared by: the value of a number, however it is written. It has an exponent if it would have more than 40 zeros more."""
    if isinstance(value, dict):
        number = Decimal(value["number"]).normalize()
        long = number.as_tuple().exponent > 40 or number.adjusted() < -41
        return format(number, "e" if long else "f").replace("e+", "e") if number else "0"
    return {None: None, True: "true", False: "false"}.get(value, value)


def rows_of_csv(text):
    rows = [r for r in csv.reader(io.StringIO(text.decode("utf-8-sig"), newline=""), strict=True) if r]
    return [dict(zip(rows[0], r)) for r in rows[1:]]


def draw_join_lines(rng, size, kind, n):
    fields, sides, files = [rng.randint(1, 3) for _ in range(2)], [], {}
    words = [w for w in data.WORDS if rng.random() < 0.5] + [b"", b"a"]
    for side, f in enumerate(fields):
        rows = [[rng.choice(words) for _ in range(rng.randint(f, 4))] for _ in range(rng.randint(0, 1 + min(size, 6000) // 30))]
        sides.append([(r[f - 1].decode("latin-1"), b"\t".join(r[:f - 1] + r[f:])) for r in rows])
        text = b"\n".join(b"\t".join(r) for r in rows)
        if text != data.taken(text):
            rows, text = rows[:0], b""
            sides[-1].clear()
        if rows and (rng.random() < 0.7 or text.endswith(b"\n") or rows == [[b""]]):
            text += b"\n"
        elif rows and rows[-1] == [b""]:
            sides[-1].pop()  # an empty last line without a LF is no line
        files[f"{'LR'[side]}/x"] = data.pack(rng, text)
    missing = rng.choice(["", "-", "NULL"])
    params = {"kind": kind, "left_key": str(fields[0]), "right_key": str(fields[1]), "missing": missing}
    return Case(join_job(params, n, ["text", "text"]), files, ask={"kind": kind, "sides": sides, "missing": missing.encode()}, order="tab")


def draw_join_example(rng, size):
    """examples/tables/join.yaml: CSV with JSON, all records of the left side kept."""
    rows = rng.randint(0, 30)
    users = data.csv_rows(rng, ["id", "name", "motto"], [[rng.choice(data.STRINGS) for _ in range(3)] for _ in range(rows)])
    visits = data.json_lines(rng, rng.randint(0, 30), "user", lambda: rng.choice(
        ["null", data.number(rng, 3), data.json_string(rng, rng.choice(data.STRINGS))]))
    sides = [[(r["id"], r) for r in rows_of_csv(users)], [json_row(line, "user") for line in lines(text_of(visits)) if line.strip()]]
    files = {"users.csv": data.pack(rng, users), "visits.jsonl": data.pack(rng, visits)}
    return Case(example("tables/join.yaml"), files, ask={"kind": "left", "sides": sides}, out="joined", unit="json")


def duckdb_join(cases):
    """DuckDB joins what csv and json of Python have read, all cases in four questions."""
    db = duckdb.connect()
    for side in range(2):
        db.execute(f"create table t{side}(c int, i int, k varchar)")
        fill(db, f"t{side}", [(c, i, k) for c, case in enumerate(cases) for i, (k, _) in enumerate(case.ask["sides"][side])])
    for case in cases:
        case.want = []
    for kind in ["inner", "left", "right", "outer"]:
        asked = [c for c, case in enumerate(cases) if case.ask["kind"] == kind]
        found = db.execute(f"""select coalesce(l.c, r.c), l.i, r.i, coalesce(l.k, r.k) from (select * from t0 where c in (select unnest($1))) l
            {'full outer' if kind == 'outer' else kind} join (select * from t1 where c in (select unnest($1))) r on l.c = r.c and l.k = r.k""",
                           [asked]).fetchall()
        for c, i, k, key in found:
            case, (left, right) = cases[c], cases[c].ask["sides"]
            if case.unit == "json":
                case.want.append({"key": key or "", "value": {"left": None if i is None else left[i][1], "right": None if k is None else right[k][1]}})
            else:
                rest = [case.ask["missing"] if at is None else side[at][1] for side, at in ((left, i), (right, k))]
                case.want.append(b"\t".join([key.encode("latin-1")] + rest))


def draw_join_streaming(rng, size):
    """examples/streaming/join.yaml: each user once, with a name; visits of users that nobody knows are left out."""
    ids = rng.sample(["1", "2", "3", "01", "1.0", "1e0", "x", "é", "10", "a b"], rng.randint(1, 8))
    users = [(u, rng.choice(["Ann", "Bob", "é", "0", ""])) for u in ids if rng.random() < 0.7]
    visits = [(rng.choice(ids), rng.choice(["/home", "/cart", "/", "0"])) for _ in range(rng.randint(0, 60))]
    def table(rows):
        return "".join("\t".join(r) + "\n" for r in rng.sample(rows, len(rows))).encode()
    files = {"users.tsv": table(users), "visits.tsv": table(visits)}
    return Case(example("streaming/join.yaml"), files, ask={"users": users, "visits": visits}, out="join")


def named_visits(case):
    names = dict(case.ask["users"])
    return [f"{names[u]}\t{page}".encode() for u, page in case.ask["visits"] if u in names]


@dataclass
class App:
    name: str
    draw: object
    oracle: object  # of one case; or of many, if batch
    batch: bool = False
    commands: bool = False  # each task starts commands: fewer, larger tasks
    small: int = 4000  # bytes of a file, at most, where a case is not large


# The awk examples leave NUL out, which POSIX does not let awk read.
APPS = [
    App("wordcount", draw_words("wordcount"), gnu_words),
    App("grep", draw_grep, gnu_grep),
    App("sort", draw_sort, gnu_sort),
    App("teragen", draw_teragen, rows_of_tera),
    App("terasort", draw_terasort, all_records),
    App("teravalidate", draw_teravalidate, summed_up),
    App("index", draw_index, index_of_files),
    App("join", draw_join, duckdb_join, batch=True),
    App("topk", draw_topk, duckdb_top, batch=True),
    App("loadgen", draw_loadgen, repeated),
    App("words", draw_example("words/job.yaml", "my-words"), unicode_words),
    App("rawwords", draw_example("rawwords/job.yaml", "raw-words"), unicode_words),
    App("combiner", draw_program("combiner"), unicode_words),
    App("example-words", draw_example("words.yaml", "words"), gnu_words),
    App("example-find", draw_find, lines_with_deadline),
    App("promises", draw_promises, all_lines),
    App("python", draw_example("streaming/python.yaml", "python-words", most=2), python_words, commands=True, small=2000),
    App("awk", draw_example("streaming/awk.yaml", "awk-words", nul=False, most=2), python_words, commands=True),
    App("shell", draw_example("streaming/shell.yaml", "shell-words", most=2), python_words, commands=True),
    App("shell-top", draw_example("streaming/shell.yaml", "shell-top", nul=False, most=2, order="exact", unit="counts"), top_ten_of_words, commands=True),
    App("combine-alone", draw_combine_alone, python_words, commands=True),
    App("streamed-words", draw_streamed(["words", "rawwords", "combiner"]), unicode_words, commands=True),
    App("stream-words", draw_streamed(["slackline stream ROLE wordcount"]), gnu_words, commands=True),
    App("stream-sort", draw_streamed(["slackline stream ROLE sort"], order=""), gnu_sort_of_records, commands=True),
    App("streaming-join", draw_join_streaming, named_visits, commands=True),
    App("tables-index", draw_example("tables/index.yaml", "index", most=6, unit="index"), index_of_files),
    App("tables-join", draw_join_example, duckdb_join, batch=True),
    App("tables-top", draw_top_example, top_of_words),
]
