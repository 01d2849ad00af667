package arch

import (
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTree holds the whole module to its architecture.
func TestTree(t *testing.T) {
	found, err := check(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// TestRules proves for every rule that it can fail, at the right line and nowhere else, and that it
// can pass. With -v it lists the rules and what breaks them.
func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			bad := filepath.Join("testdata", r.name, "bad")
			want := wants(t, bad)
			broken := places(t, bad)
			if !slices.Equal(broken, want) {
				t.Errorf("bad fixture:\n got %s\nwant %s", strings.Join(broken, "\n     "), strings.Join(want, "\n     "))
			}
			mine := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !strings.HasSuffix(s, " "+r.name) })
			if len(mine) == 0 {
				t.Errorf("the bad fixture does not break %s", r.name)
			}
			good := filepath.Join("testdata", r.name, "good")
			if wants(t, good) != nil {
				t.Error("the good fixture wants a violation")
			}
			for _, v := range places(t, good) {
				t.Errorf("good fixture: %s", v)
			}
			t.Logf("%s: %s\n\tbroken by %s", r.name, r.says, strings.Join(byFile(bad, mine), "\n\t          "))
		})
	}
}

// TestFixtures has no fixture without a rule.
func TestFixtures(t *testing.T) {
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.name == d.Name() }) {
			t.Errorf("testdata/%s belongs to no rule", d.Name())
		}
	}
}

// TestTable holds the import table to its own promises.
func TestTable(t *testing.T) {
	at := func(name string) int {
		return slices.IndexFunc(layers, func(l layer) bool { return l.name == name })
	}
	seen := map[string]bool{}
	for _, r := range table {
		if seen[r.dir] {
			t.Errorf("%s stands twice in the table", r.dir)
		}
		seen[r.dir] = true
		if at(r.layer) < 0 {
			t.Errorf("%s is in layer %q, which is not in the list", r.dir, r.layer)
		}
		if r.why == "" {
			t.Errorf("%s has no reason", r.dir)
		}
	}
	for i, l := range layers {
		if l.why == "" {
			t.Errorf("layer %s has no reason", l.name)
		}
		for _, m := range l.may {
			j := at(m)
			if r, ok := rowOf(m); j < 0 && ok && r.dir == m {
				j = at(r.layer)
			}
			if j <= i {
				t.Errorf("layer %s may import %s, which is not below it", l.name, m)
			}
		}
		if l.rule != "" && !slices.ContainsFunc(rules, func(r rule) bool { return r.name == l.rule }) {
			t.Errorf("layer %s names no rule by %q", l.name, l.rule)
		}
	}
	for _, p := range permits {
		if r, ok := rowOf(p.dir); !ok || !r.pure || p.why == "" {
			t.Errorf("permit for %s to import %s: the folder is not pure, or the reason is missing", p.dir, p.path)
		}
	}
}

// TestNothingUnused finds what the table permits and nothing needs: modules, layers, permits and rows.
func TestNothingUnused(t *testing.T) {
	c := &checker{root: filepath.Join("..", ".."), fset: token.NewFileSet(), typed: map[string]*typedPkg{}}
	if err := c.load(); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, p := range c.pkgs {
		used[p.row.dir] = true
		for _, f := range p.files {
			for _, spec := range f.ast.Imports {
				to := importPath(spec)
				for _, m := range slices.Concat(p.row.external, testExternal) {
					if within(to, m) && (slices.Contains(p.row.external, m) || f.test || p.row.testOnly) {
						used[p.row.dir+" "+m], used[m] = true, true
					}
				}
				if r, ok := rowOf(strings.TrimPrefix(strings.TrimPrefix(to, module), "/")); ok && within(to, module) && !f.test {
					used[p.row.layer+" > "+r.layer], used[p.row.layer+" > "+r.dir] = true, true
				}
				for _, permit := range permits {
					if within(p.dir, permit.dir) && to == permit.path && !f.test {
						used[permit.dir+" "+permit.path] = true
					}
				}
			}
		}
	}
	for _, r := range table {
		if !used[r.dir] {
			t.Errorf("no package is in the row of %s", r.dir)
		}
		for _, m := range r.external {
			if !used[r.dir+" "+m] {
				t.Errorf("%s may import %s and does not", r.dir, m)
			}
		}
	}
	for _, m := range testExternal {
		if !used[m] {
			t.Errorf("no test imports %s", m)
		}
	}
	for _, p := range permits {
		if !used[p.dir+" "+p.path] {
			t.Errorf("%s may import %s and does not", p.dir, p.path)
		}
	}
	for _, l := range layers {
		for _, m := range l.may {
			if !used[l.name+" > "+m] && l.rule == "" { // layers with a rule of their own have their list from it
				t.Errorf("layer %s may import %s and does not", l.name, m)
			}
		}
	}
}

// places lists "file:line rule" for each violation in a tree.
func places(t *testing.T, root string) []string {
	t.Helper()
	found, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range found {
		out = append(out, fmt.Sprintf("%s:%d %s", v.file, v.line, v.rule))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// byFile turns "file:line rule" into one "root/file, line 1 2 3" for each file.
func byFile(root string, places []string) (out []string) {
	lines := map[string][]int{}
	for _, p := range places {
		var n int
		file, rest, _ := strings.Cut(p, ":")
		if _, err := fmt.Sscan(rest, &n); err == nil {
			lines[file] = append(lines[file], n)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		slices.Sort(lines[file])
		at := strings.Trim(fmt.Sprint(lines[file]), "[]")
		out = append(out, filepath.ToSlash(root)+"/"+file+", line "+at)
	}
	return out
}

var wantComment = regexp.MustCompile(`// want ([a-z -]+)$`)

// wants lists "file:line rule" for each rule named in a "want" comment of a tree.
func wants(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if m := wantComment.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
				for _, r := range strings.Fields(m[1]) {
					out = append(out, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), n, r))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
