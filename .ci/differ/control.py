"""What the test-bed has to find: wrong answers that Slackline once gave, given again by builds without what mended them."""
import json
import subprocess

from applications import ROOT

# Application, what is wrong, file, the text that mends it, the text without.
CONTROLS = [
    ("rawwords", "a program with a fold and no reducer writes each map's own counts",
     "mapreduce/mapreduce.go", "\treturn p.Combiner()\n", "\treturn nil\n"),
    ("join", "a left, right or outer join drops rows whose key is null",
     "internal/apps/join.go", "err != nil || key == nil && !k.keeps", "err != nil || key == nil"),
    ("join", "1, 1.0 and 1e0 are three keys",
     "internal/apps/column.go", "\t\treturn numberKey(string(raw))\n", "\t\treturn raw, nil\n"),
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
    subprocess.run(["go", "build", "-overlay", to / "overlay.json", "-o", to, "./cmd/slackline", "./examples/words", "./examples/rawwords"],
                   cwd=ROOT, check=True)
