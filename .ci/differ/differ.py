#!/usr/bin/env python3
"""Applications and examples on random input, against independent oracles (applications.py says which).

    differ.py --bin DIR [--apps A,B] [--cases N] [--seed S]     N cases of each; DIR holds the programs of control.py
    differ.py --bin DIR --replay APP:SEED:BATCH:CASE            one case alone; with --keep DIR its files stay there
    differ.py --control                                         the bed itself: it must find what control.py breaks
    differ.py --store DIR                                       a few small cases of each with what the oracles expect, for go test

Many cases are the jobs of one run, so that few processes start. A run draws its block size, nodes, slots, memory and policy, a case all
that it reads and its job file. Exit code 1 if an answer is wrong.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import applications
import data
from applications import APPS, ROOT
from control import CONTROLS, build

BATCH = 40


def settings(rng, app, large):
    """How a run is done."""
    low, high = (16 << 10, 1 << 20) if large else (700, 20000) if app.commands else (100, 8000)
    block = int(low * (high / low) ** rng.random())
    flags = ["--block", f"{block}B", "--nodes", rng.choice(["1", "2", "3"]), "--slots", rng.choice(["1,1", "2,1", "1,2", "2,2"])]
    flags += ["--policy", rng.choice(["fifo", "fair", "edf-p"])]
    if large or rng.random() < 0.3:
        flags += ["--memory", rng.choice(["32MiB", "48MiB", "64MiB"])]
    return flags


def drawn(app, seed, batch, numbers):
    """The cases of a batch with these numbers, with what is expected, and how they are run. A batch of 25 has few and large cases."""
    rng = random.Random(f"{app.name}:{seed}:{batch}")
    large = batch % 25 == 24 and not app.commands
    flags = settings(rng, app, large)
    cases = {}
    for n in numbers:
        if large and n >= 4:
            break
        rng = random.Random(f"{app.name}:{seed}:{batch}:{n}")
        cases[n] = app.draw(rng, 1_500_000 if large else rng.choice([50, 500, app.small]))
    expect(app, list(cases.values()))
    return flags, cases


def expect(app, cases):
    if app.batch:
        app.oracle(cases)
        return
    for case in cases:
        case.want = app.oracle(case)


def write(case, folder, root):
    """Writes the files of a case, and returns its job with the names of that folder."""
    for name, content in case.files.items():
        path = root / folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / folder / "in").mkdir(parents=True, exist_ok=True)
    return case.job.replace("HERE/", folder + "/").replace("HERE-", folder + "-")


def run(bin, root, flags, jobs):
    """Runs these jobs in a folder that looks like the repository's top."""
    for name, to in (("bin", bin), ("examples", ROOT / "examples")):
        if not (root / name).exists():
            (root / name).symlink_to(to)
    (root / "jobs.yaml").write_text("---\n".join(jobs))
    env = dict(os.environ, SLACKLINE_DATA=str(root / "data"), PATH=f"{os.path.dirname(os.path.realpath(sys.executable))}:{os.environ['PATH']}")
    try:
        return subprocess.run([bin / "slackline", "run", "jobs.yaml", "-q", *flags], cwd=root, env=env, capture_output=True, timeout=600)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(e.cmd, "none, it did not end", e.stdout or b"", e.stderr or b"")


def compared(case, root, folder):
    """What is wrong with the output of a case, "" if nothing."""
    out = root / folder / case.out
    if not (out / "_SUCCESS").exists():
        return "it failed"
    try:
        return difference_of(case, out, folder)
    except Exception as e:  # output that cannot even be read
        return f"its output cannot be read: {e!r}"


def difference_of(case, out, folder):
    parts = [split(case.unit, data.unpack(p.name, p.read_bytes())) for p in sorted(out.glob("part-*"))]
    prefix = folder.encode() + b"/"
    want = [w.replace(b"HERE/", prefix) if isinstance(w, bytes) else w for w in case.want]
    got = [tidied(case.unit, u) for p in parts for u in p]
    if case.unit == "validate":
        got, want = sorted(set(got)), sorted(set(want))
    if case.unit == "share":
        if bad := beyond_share(case, want, got):
            return bad
        want = got
    order = sorted if case.order != "exact" else list
    key = canonical if case.unit == "json" else lambda u: u
    a, b = order(map(key, want)), order(map(key, got))
    if a != b:
        return difference(a, b)
    keys = {"line": lambda u: u, "tab": lambda u: u.split(b"\t")[0], "last": lambda u: u.rsplit(b"\t", 1)[0], "total": lambda u: u[:10]}.get(case.order)
    for units in [[u for p in parts for u in p]] if case.order == "total" else parts:
        if keys and any(keys(x) > keys(y) for x, y in zip(units, units[1:])):
            return "a part is out of order"
    return ""


def split(unit, text):
    if unit == "records":
        return [text[i:i + 100] for i in range(0, len(text), 100)]
    return applications.lines(text)


def tidied(unit, u):
    if unit == "counts":
        return u.split(b"\t")[0]
    if unit == "validate" and u.startswith(b"misordered\t"):
        return b"misordered"
    if unit == "json":
        return applications.parsed(u)
    if unit == "index":
        word, *files = u.split(b"\t")
        return word + b"\t" + b"\t".join(sorted(unquoted(f) for f in files))
    return u


def beyond_share(case, want, got):
    """What is wrong with the fifth of the lines that examples/promises.yaml asks for, up to a line for each task; a block has 100 bytes at least."""
    if more := Counter(got) - Counter(want):
        return f"lines that are not in the input: {list(more)[:3]}"
    sizes = [len(line) + 1 for line in want]
    wrote, fifth, tasks = sum(len(line) + 1 for line in got), sum(sizes) / 5, len(case.plain) + sum(sizes) / 100
    return "" if fifth - tasks * max(sizes, default=0) <= wrote <= fifth + 1e-6 else f"{wrote} bytes of output, want {fifth}"


def canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def unquoted(f):
    """FILE:COUNT as the file is called. A name in the output has no control characters: such are quoted as Go's strconv does it."""
    path, count = f.rsplit(b":", 1)
    if re.search(rb"[\x00-\x1f\x7f]", path):
        return b"control characters in " + f
    if path.startswith(b'"'):
        def char(m):
            e = m.group(1)
            return bytes([int(e[1:], 16)]) if e[:1] == b"x" else chr(int(e[1:], 16)).encode() if e[:1] in b"uU" else ESCAPES.get(e.decode(), e.decode()).encode()
        path = re.sub(rb"\\(x..|u....|U........|.)", char, path[1:-1])
    return path + b":" + count


def difference(want, got):
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    show = lambda units: (repr(units[at])[:300] if at < len(units) else "nothing")
    return f"{len(got)} units, want {len(want)}; the first that differs: {show(got)}, want {show(want)}"


def play(bin, app, seed, batch, numbers, keep=None):
    """Runs cases together and returns how many there were, and (name, what is wrong, flags) of those that are wrong."""
    flags, cases = drawn(app, seed, batch, numbers)
    root = Path(keep or tempfile.mkdtemp(prefix="differ-"))
    root.mkdir(parents=True, exist_ok=True)
    try:
        jobs = [write(case, f"c{n}", root) for n, case in cases.items()]
        ran = run(bin, root, flags, jobs)
        wrong = []
        for n, case in cases.items():
            if bad := compared(case, root, f"c{n}"):
                told = ran.stderr.decode(errors="replace").strip() or ran.stdout.decode(errors="replace")
                wrong.append((f"{app.name}:{seed}:{batch}:{n}", bad + (f" (exit code {ran.returncode}: {told[:600]})" if bad == "it failed" else ""), flags))
        return len(cases), wrong
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


def store(to):
    """Small cases for the gate: as JSON, with bytes as characters of the same number."""
    text = lambda b: b.decode("latin-1")
    to.mkdir(parents=True, exist_ok=True)
    for app in APPS:
        kept = []
        for n in range(10000):
            # Of several maps where that is what the case is about.
            case = app.draw(random.Random(f"{app.name}:stored:{n}"), 900 if app.batch or app.name == "combine-alone" else 200)
            case.job = case.job.replace("compress: zstd", "compress: gzip")  # which Go's own library reads
            # Names that Go and git take everywhere; and no output that the bed has to read for its meaning.
            if re.search(r"[^A-Za-z0-9_./ -]", "".join(case.files)) or sum(map(len, case.files.values())) > 1500:
                continue
            if case.unit == "share":
                break  # compared within bounds, here only
            expect(app, [case])
            if len(case.want) < (2 if case.unit == "validate" else 3) or case.unit == "validate" and b"misordered" in case.want:
                continue
            if app.name == "join" and len(kept) < 8 and (case.ask["kind"] == "inner" or all(k is not None for s in case.ask["sides"] for k, _ in s)):
                continue  # half of them have null keys that are kept
            if app.name == "topk" and len(kept) < 4 and not any(
                    a.split(b"\t")[:-1] == b.split(b"\t")[:-1] and float(a.split(b"\t")[-1]) == float(b.split(b"\t")[-1])
                    for a, b in zip(case.want, case.want[1:]) if a != b):
                continue  # some of them have ties that only the text of the number decides
            want = [canonical(w) if case.unit == "json" else text(w) for w in case.want]
            kept.append({"job": case.job, "files": {k: text(v) for k, v in case.files.items()}, "out": case.out, "unit": case.unit,
                         "exact": case.order == "exact", "want": want if case.order == "exact" else sorted(want)})
            if len(kept) == (3 if app.commands else 16 if app.batch else 8):
                break
        if not kept:
            continue
        block = random.Random(app.name).choice([400] if app.name == "combine-alone" else [400, 900] if app.commands else [100, 150, 300])
        (to / f"{app.name}.json").write_text(json.dumps({"block": f"{block}B", "cases": kept}, indent=1) + "\n")


def control():
    """Whether the bed finds what it has to."""
    blind = 0
    for name, what, *change in CONTROLS:
        app = next(a for a in APPS if a.name == name)
        with tempfile.TemporaryDirectory(prefix="differ-") as tmp:
            build(Path(tmp) / "bin", *change)
            done, wrong = play(Path(tmp) / "bin", app, "control", 0, range(BATCH))
        wrong = [w for w in wrong if not w[1].startswith("it failed")]  # but answers
        print(f"control: {what}: {len(wrong)} of {done} cases of {name} are wrong" + ("" if wrong else ": NOT FOUND"), flush=True)
        blind += not wrong
    return 1 if blind else 0


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--bin", type=Path, help="folder of the programs")
    args.add_argument("--apps", default=",".join(a.name for a in APPS))
    args.add_argument("--cases", type=int, default=1000)
    args.add_argument("--seed", default="1")
    args.add_argument("--replay")
    args.add_argument("--keep")
    args.add_argument("--control", action="store_true")
    args.add_argument("--store", type=Path)
    args = args.parse_args()
    by_name = {a.name: a for a in APPS}
    if args.store:
        store(args.store)
        return 0
    if args.control:
        return control()
    bin = args.bin.resolve()
    if args.replay:
        name, seed, batch, n = args.replay.split(":")
        _, wrong = play(bin, by_name[name], seed, int(batch), [int(n)], args.keep)
        for case, bad, flags in wrong:
            print(f"{case} ({' '.join(flags)}): {bad}")
        print("wrong" if wrong else "right")
        return 1 if wrong else 0
    def check(name):
        app, started, done, failed, batch = by_name[name], time.time(), 0, [], 0
        while done < args.cases:
            n, wrong = play(bin, app, args.seed, batch, range(BATCH))
            done, batch, failed = done + n, batch + 1, failed + wrong
        text = f"{name:16} {done:5} cases  {len(failed):5} wrong  {time.time() - started:6.1f} s"
        for case, bad, flags in failed[:3]:
            text += f"\n  {case} ({' '.join(flags)}): {bad}\n  again: DIFFER='--replay {case}' bash .ci/run differ"
        return text, len(failed)

    total = 0
    with ThreadPoolExecutor(2) as pool:  # one draws and compares while the other one's jobs run
        for text, failed in pool.map(check, args.apps.split(",")):
            print(text, flush=True)
            total += failed
    return 1 if total else 0


sys.exit(main())
