"""What the test-bed has to find: wrong answers that Slackline once gave, or that the bed itself once did not see, given by changed builds."""
import json
import subprocess

from applications import ROOT

PROGRAMS = ["./cmd/slackline", "./examples/words", "./examples/rawwords", "./.ci/differ/combiner"]

# Application, what is wrong, file, the text that stands there, the text that makes the answer wrong.
CONTROLS = [
    ("rawwords", "a program with a fold and no reducer writes each map's own counts",
     "mapreduce/mapreduce.go", "\treturn p.Combiner()\n", "\treturn nil\n"),
    ("join", "a left, right or outer join drops rows whose key is null",
     "internal/apps/join.go", "err != nil || key == nil && !k.keeps", "err != nil || key == nil"),
    ("join", "1, 1.0 and 1e0 are three keys",
     "internal/apps/column.go", "\t\treturn numberKey(string(raw))\n", "\t\treturn raw, nil\n"),
    ("join", "the key of every pair of a join is another",
     "internal/apps/join.go", "\treturn out.Emit(key, j.value)\n}\n", "\treturn out.Emit([]byte(\"k\"), j.value)\n}\n"),
    ("index", "names of files are not quoted",
     "internal/apps/index.go", "\t\treturn strconv.Quote(path)\n", "\t\t_ = strconv.Quote(path)\n"),
    ("combine-alone", "commands that combine do not do so in the reduces",
     "internal/worlds/engine/streaming/streaming.go", "\t\tj.Reduce = j.Combine\n", "\t\t_ = j.Combine\n"),
    ("combiner", "a program that combines does not do so in the reduces",
     "mapreduce/mapreduce.go", "\treturn p.Combiner()\n", "\treturn nil\n"),
    ("stream-sort", "keys of a stream are written as they are",
     "mapreduce/stream.go", "\tt.hides = !t.final\n", "\tt.hides = false\n"),
    ("stream-words", "a stream loses a count for each key that a map adds up",
     "mapreduce/stream.go", "\t\t*held = sum\n", "\t\t*held = sum - n\n"),
]


def build(to, path, old, new):
    """Builds the programs with another text in a file. The tree stays as it is."""
    source = ROOT / path
    text = source.read_text()
    if text.count(old) != 1:
        raise SystemExit(f"control.py: {path} does not have {old!r} once; what mends it is written differently now")
    to.mkdir(parents=True)
    (to / "changed.go").write_text(text.replace(old, new))
    (to / "overlay.json").write_text(json.dumps({"Replace": {str(source): str(to / "changed.go")}}))
    subprocess.run(["go", "build", "-overlay", to / "overlay.json", "-o", to, *PROGRAMS],
                   cwd=ROOT, check=True)
