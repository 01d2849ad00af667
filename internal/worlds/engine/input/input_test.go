package input

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/internal/worlds/engine/success"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// tree makes files below a new directory and goes there.
func tree(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(f), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	tree(t, "in/b.txt", "in/a.txt", "in/c/d.txt", "in/_SUCCESS", "in/.hidden", "in/_logs/e.txt", "in/.git/f", "in/[x].txt")
	tests := map[string]struct {
		inputs []string
		want   string
	}{
		"a file":                          {[]string{"in/a.txt"}, "in/a.txt"},
		"a hidden file named outright":    {[]string{"in/.hidden"}, "in/.hidden"},
		"a directory, in order of name":   {[]string{"in"}, "in/[x].txt in/a.txt in/b.txt in/c/d.txt"},
		"inputs in the order given":       {[]string{"in/c", "in/a.txt"}, "in/c/d.txt in/a.txt"},
		"a glob skips what is hidden":     {[]string{"in/*"}, "in/[x].txt in/a.txt in/b.txt in/c/d.txt"},
		"where one stands":                {[]string{"."}, "in/[x].txt in/a.txt in/b.txt in/c/d.txt"},
		"below where one stands":          {[]string{"./in/"}, "in/[x].txt in/a.txt in/b.txt in/c/d.txt"},
		"a glob over directories":         {[]string{"i*/c"}, "in/c/d.txt"},
		"a file named like a pattern":     {[]string{"in/[x].txt"}, "in/[x].txt"},
		"the same file twice, read twice": {[]string{"in/a.txt", "in/a.txt"}, "in/a.txt in/a.txt"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := Find(test.inputs)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, filepath.ToSlash(f.Path))
				if f.Size != int64(len(filepath.ToSlash(f.Path))) {
					t.Errorf("%s has size %d", f.Path, f.Size)
				}
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("found %s\nwant  %s", s, test.want)
			}
		})
	}
}

func TestFindRefuses(t *testing.T) {
	tree(t, "in/a.txt")
	for input, want := range map[string]string{
		"none":    `input "none": there is no such file or directory`,
		"in/*.md": `input "in/*.md": no file matches the pattern`,
		"in/[":    `input "in/[": the pattern is malformed`,
	} {
		if _, err := Find([]string{"in", input}); err == nil || err.Error() != want {
			t.Errorf("Find(%q) says %v, want %s", input, err, want)
		}
	}
}

// A file whose size says nothing of what is in it is refused, however it is named; one that is empty is not.
func TestFindRefusesSizesThatAreNone(t *testing.T) {
	const made = "/proc/cpuinfo"
	if _, err := os.Stat(made); err != nil {
		t.Skip("NOT CHECKED: this system has no files that are made while they are read")
	}
	tree(t, "in/a.txt")
	if err := os.WriteFile("in/empty", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if found, err := Find([]string{"in"}); err != nil || len(found) != 2 {
		t.Errorf("%v, %v", found, err)
	}
	link(t, map[string]string{"in/link": made})
	for input, path := range map[string]string{made: made, "in": "in/link", "in/l*": "in/link"} {
		want := `input "` + path + `": its size is 0, but there is something to read; copy it to a regular file`
		if _, err := Find([]string{input}); err == nil || err.Error() != want {
			t.Errorf("Find(%q) says %v, want %s", input, err, want)
		}
	}
}

func TestFindFollowsLinks(t *testing.T) {
	tree(t, "real/a.txt", "real/sub/c.txt", "in/b.txt")
	link(t, map[string]string{"in/to-file": "../real/a.txt", "in/to-dir": "../real", "in/to-dir-too": "../real/sub", "in/_loop": ".", "alias": "in"})
	found, err := Find([]string{"alias"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, filepath.ToSlash(f.Path))
		if info, err := os.Stat(f.Path); err != nil || info.Size() != f.Size || info.ModTime().UnixNano() != f.Wrote {
			t.Errorf("%+v is not how %v lies there, %v", f, info, err)
		}
	}
	want := []string{"alias/b.txt", "alias/to-dir/a.txt", "alias/to-dir/sub/c.txt", "alias/to-dir-too/c.txt", "alias/to-file"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// Nothing that a directory holds is passed over in silence.
func TestFindRefusesLinksThatLeadNowhere(t *testing.T) {
	for name, c := range map[string]struct{ link, to, want string }{
		"dangling":       {"in/gone", "nowhere", `input "in/gone": it is a link to "nowhere", which is not there`},
		"into itself":    {"in/sub/loop", "..", `input "in/sub/loop": it is a link to a directory above it, which makes a cycle`},
		"to itself":      {"in/self", "self", `input "in/self": too many levels of symbolic links`},
		"not even files": {"in/null", os.DevNull, `input "in/null": it is neither a file nor a directory`},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t, "in/a.txt", "in/sub/b.txt")
			link(t, map[string]string{c.link: c.to})
			for _, input := range []string{"in", "i*"} {
				if _, err := Find([]string{input}); err == nil || err.Error() != c.want {
					t.Errorf("Find(%q) says %v, want %s", input, err, c.want)
				}
			}
		})
	}
}

func link(t *testing.T, links map[string]string) {
	t.Helper()
	for link, to := range links {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("NOT CHECKED: this system makes no links: ", err)
		}
	}
}

// Output of a job is read if it is what its _SUCCESS says, however it is named.
func TestFindChecksOutputs(t *testing.T) {
	for name, c := range map[string]struct{ harm, want string }{
		"all there":       {"", ""},
		"Hadoop's":        {"foreign", ""},
		"another beside":  {"more", ""},
		"emptied":         {"empty", "part-r-00001 is not as _SUCCESS says (0B for 17B); make it again, or remove out/_SUCCESS if it is meant to be so"},
		"missing":         {"missing", "part-r-00001 is missing, which _SUCCESS names (17B)"},
		"_SUCCESS is cut": {"damaged", "its _SUCCESS is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			tree(t, "out/part-r-00000", "out/part-r-00001", "out/_SUCCESS")
			text := success.Text([]success.Part{{Name: "part-r-00000", Size: 16}, {Name: "part-r-00001", Size: 17}})
			if err := os.WriteFile("out/part-r-00001", []byte("out/part-r-00001\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			var err error
			switch c.harm {
			case "foreign":
				text, err = nil, os.Remove("out/part-r-00001")
			case "more":
				err = os.WriteFile("out/part-r-00002", nil, 0o666)
			case "empty":
				err = os.Truncate("out/part-r-00001", 0)
			case "missing":
				err = os.Remove("out/part-r-00001")
			case "damaged":
				text = text[:len(text)-1]
			}
			if err = errors.Join(err, os.WriteFile("out/_SUCCESS", text, 0o666)); err != nil {
				t.Fatal(err)
			}
			for _, input := range []string{"out", ".", "out/part*", "o*", "out/part-r-00001"} {
				if _, err := os.Stat("out/part-r-00001"); err != nil && input == "out/part-r-00001" {
					continue
				}
				_, err := Find([]string{input})
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("Find(%q) says %v, want %s", input, err, c.want)
				}
			}
		})
	}
	tree(t, "out/part-r-00000", "out/_temporary/log")
	if _, err := Find([]string{"out"}); err == nil || !strings.Contains(err.Error(), "has not finished") {
		t.Error(err)
	}
}

func file(path string, size int64) File { return File{Path: path, Size: size} }

func piece(path string, start, end int64) Piece { return Piece{Path: path, Start: start, End: end} }

// bareSplits are the splits without what their pieces say of files.
func bareSplits(splits []Split) []Split {
	for _, s := range splits {
		for i := range s.Pieces {
			s.Pieces[i].FileSize, s.Pieces[i].Wrote = 0, 0
		}
	}
	return splits
}

func TestCut(t *testing.T) {
	files := []File{file("a", 3), file("empty", 0), file("b", 4), file("c", 25), file("d", 5), file("e", 1), file("f", 10), file("g", 10)}
	want := []Split{
		{[]Piece{piece("a", 0, 3), piece("b", 0, 4)}, 7},
		{[]Piece{piece("c", 0, 10)}, 10},
		{[]Piece{piece("c", 10, 20)}, 10},
		{[]Piece{piece("c", 20, 25), piece("d", 0, 5)}, 10},
		{[]Piece{piece("e", 0, 1)}, 1},
		{[]Piece{piece("f", 0, 10)}, 10},
		{[]Piece{piece("g", 0, 10)}, 10},
	}
	if diff := cmp.Diff(want, bareSplits(Cut(files, 10))); diff != "" {
		t.Errorf("splits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Split{{}}, Cut([]File{file("empty", 0)}, 10)); diff != "" {
		t.Errorf("of nothing there is one empty split (-want +got):\n%s", diff)
	}
}

// Without a block a slot has four maps, of whole MB and within bounds. Files large and small are cut by that of all
// together.
func TestBlock(t *testing.T) {
	const mb, gb = units.MB, units.GB
	for _, c := range []struct {
		total units.Bytes
		slots int
		want  units.Bytes
	}{{0, 2, 4 * mb}, {1, 2, 4 * mb}, {32 * mb, 2, 4 * mb}, {32*mb + 1, 2, 5 * mb}, {500_000_000, 2, 60 * mb}, {500_000_000, 1, 120 * mb},
		{500_000_000, 64, 4 * mb}, {2 * gb, 2, 256 * mb}, {2*gb - 1, 2, 256 * mb}, {units.TB, 2, 256 * mb}, {units.TB, 4096, 64 * mb},
		{math.MaxInt64, 1, 256 * mb}, {32 * mb, 0, 8 * mb}} {
		if got := Block(c.total, c.slots); got != c.want {
			t.Errorf("of %d bytes on %d slots: %v, want %v", c.total, c.slots, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		total, slots := units.Bytes(rapid.Int64Range(0, 1<<40).Draw(t, "total")), rapid.IntRange(1, 300).Draw(t, "slots")
		block := Block(total, slots)
		maps := (total + block - 1) / block
		if block%mb != 0 || block < LeastBlock || block > MostBlock || block < MostBlock && maps > units.Bytes(4*slots) ||
			block > LeastBlock && (block-mb)*units.Bytes(4*slots) >= total || Block(total+1, slots) < block || Block(total, slots+1) > block {
			t.Errorf("%d bytes in blocks of %v", total, block)
		}
	})
	dir := t.TempDir()
	var files []File
	for i, size := range []int64{30 << 20, 1 << 20, 1 << 20} {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		files = append(files, file(name, size))
	}
	for block, want := range map[int64]int{int64(Block(Total(files), 2)): 8, 32 << 20: 1, 64 << 20: 1, 16 << 20: 2} {
		if splits, _, err := Plan(files, block, &mapreduce.Program{}, make([]Source, 1)); err != nil || len(splits) != want {
			t.Errorf("with a block of %d: %d splits, %v, want %d", block, len(splits), err, want)
		}
	}
}

// Every byte of every file is in exactly one piece, in order, and no split is longer than a block.
func TestCutCoversEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.Int64Range(1, 40).Draw(t, "block")
		sizes := rapid.SliceOf(rapid.Int64Range(0, 100)).Draw(t, "sizes")
		var files []File
		for i, size := range sizes {
			files = append(files, file(strings.Repeat("f", i+1), size))
		}
		var got []File // pieces joined again
		for _, s := range Cut(files, block) {
			sum := int64(0)
			for _, p := range s.Pieces {
				sum += p.End - p.Start
				if p.End <= p.Start {
					t.Fatalf("piece %v is empty", p)
				}
				if p.Start > 0 {
					last := &got[len(got)-1]
					if last.Path != p.Path || last.Size != p.Start {
						t.Fatalf("piece %v does not follow %v", p, *last)
					}
					last.Size = p.End
					continue
				}
				got = append(got, file(p.Path, p.End))
			}
			if sum != s.Size || sum > block {
				t.Fatalf("split %v with a block of %d has size %d", s, block, sum)
			}
		}
		var want []File
		for _, f := range files {
			if f.Size > 0 {
				want = append(want, f)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("pieces joined (-want +got):\n%s", diff)
		}
	})
}

// A match of a pattern is not read if its name is hidden, though the pattern says it. A name that only
// looks like a pattern is what it is.
func TestReadsHiddenMatches(t *testing.T) {
	for _, c := range []struct {
		in, out string
		reads   bool
	}{{"w/*/_a", "w/a/_a", false}, {"w/a/_a", "w/a/_a", true}, {"w/*/_a/b", "w/a/_a/b", true}, {"out[1]", "out[1]", true}, {"_out[1]", "_out[1]", true}} {
		if Reads(c.in, c.out) != c.reads {
			t.Errorf("%+v", c)
		}
	}
}

// Whether a job reads what another writes is told from names alone, before any of it is there: it is so
// if, and only if, a file of that output would be found.
func TestReads(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"a", "ab", "b", "_a", ".a"}
	patterns := append([]string{"*", "a*", "[ab]", "?", "_*"}, names...)
	rapid.Check(t, func(t *rapid.T) {
		if err := os.RemoveAll("w"); err != nil {
			t.Fatal(err)
		}
		path := rapid.SliceOfN(rapid.SampledFrom(patterns), 1, 3).Draw(t, "path")
		dir := rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(t, "dir")
		in, out := filepath.Join("w", filepath.Join(path...)), filepath.Join("w", filepath.Join(dir...))
		if len(path) > len(dir)+1 { // it would name what lies below the file
			return
		}
		file := filepath.Join(out, "part")
		if len(path) == len(dir)+1 {
			file = filepath.Join(out, strings.NewReplacer("*", "a", "[ab]", "a", "?", "a").Replace(path[len(dir)]))
		}
		if err := os.MkdirAll(out, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		found, _ := Find([]string{in})
		read := slices.ContainsFunc(found, func(f File) bool { return f.Path == file })
		if Reads(in, out) != read && !hidden(filepath.Base(file)) {
			t.Fatalf("%s, %s: %v, but %v is found for %s", in, out, Reads(in, out), found, file)
		}
	})
}

// A directory that links lead to from within an input is part of that, by all of its names; one from
// which files are named one by one is not.
func TestThrough(t *testing.T) {
	tree(t, "real/in/x", "real/in/sub/y", "store/z", "real/aside/w")
	for name, to := range map[string]string{"store/l": "../real/in", "lin": "real/in"} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("NOT CHECKED: this system makes no links: ", err)
		}
	}
	for _, c := range []struct{ in, out, want string }{
		{"store", "real/in/out", "store/l"}, {"store/*", "real/in/out", "store/l"}, {"store", "real/in/sub/out", "store/l"},
		{"lin", "real/in", "lin"}, {"store", "real/in/_out", ""}, {"store", "real/out", ""}, {"lin/x", "real/in/out", ""},
		{"lin/*", "real/in/sub/out", "lin/sub"}, {"lin/x*", "real/in/out", ""}, {"store", "real/aside/out", ""},
	} {
		found, err := Find([]string{c.in})
		if err != nil {
			t.Fatal(err)
		}
		if got := Through([]string{c.in}, found, c.out); filepath.ToSlash(got) != c.want {
			t.Errorf("%s, output %s: through %q, want %q", c.in, c.out, got, c.want)
		}
	}
}

// The block for a number of splits gives no more of them, and one byte less would, wherever files can be cut.
func TestBlockFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []File
		total := int64(0)
		for i, size := range rapid.SliceOfN(rapid.Int64Range(0, 60), 1, 6).Draw(t, "sizes") {
			files = append(files, File{Path: fmt.Sprint(i), Size: size})
			total += size
		}
		n := rapid.IntRange(1, 12).Draw(t, "splits")
		block := int64(BlockFor(files, n))
		if got := len(Cut(files, block)); got > n {
			t.Fatalf("%d splits by %d, at most %d", got, block, n)
		}
		if block > 1 && block > (total+int64(n)-1)/int64(n) && len(Cut(files, block-1)) <= n {
			t.Fatalf("%d would do, not only %d", block-1, block)
		}
	})
}
