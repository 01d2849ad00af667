package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A violation is one place where a rule is broken.
type violation struct {
	file string // from the root, with slashes
	line int
	rule string
	msg  string
}

func (v violation) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", v.file, v.line, v.rule, v.msg)
}

// A source is one parsed Go file.
type source struct {
	name  string // from the root, with slashes
	lines int
	ast   *ast.File
	test  bool
}

// A pkg is one folder with Go files.
type pkg struct {
	dir   string // from the root, with slashes
	row   row
	known bool // row was found
	files []*source
	other []string // files in another language that the compiler would take
}

// code lists the files that are no tests.
func (p *pkg) code() []*source {
	var out []*source
	for _, f := range p.files {
		if !f.test {
			out = append(out, f)
		}
	}
	return out
}

// A checker looks at one tree.
type checker struct {
	root  string
	fset  *token.FileSet
	pkgs  []*pkg // by folder
	found []violation
	typed map[string]*typedPkg
}

// check returns all violations in the tree at root, sorted by place.
func check(root string) ([]violation, error) {
	c := &checker{root: root, fset: token.NewFileSet(), typed: map[string]*typedPkg{}}
	if err := c.load(); err != nil {
		return nil, err
	}
	for _, p := range c.pkgs {
		c.checkImports(p)
		c.checkTree(p)
		c.checkDoors(p)
	}
	if err := c.checkPurity(); err != nil {
		return nil, err
	}
	if err := c.checkText(); err != nil {
		return nil, err
	}
	slices.SortFunc(c.found, func(a, b violation) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.rule, b.rule), cmp.Compare(a.msg, b.msg))
	})
	return slices.Compact(c.found), nil
}

func (c *checker) report(pos token.Pos, rule, format string, args ...any) {
	at := c.fset.Position(pos)
	c.found = append(c.found, violation{at.Filename, at.Line, rule, fmt.Sprintf(format, args...)})
}

// walk goes through the files of the tree, but for folders that are to be left out.
func (c *checker) walk(skip func(full, rel string) bool, file func(rel string, read func() (string, error)) error) error {
	return filepath.WalkDir(c.root, func(full string, d fs.DirEntry, err error) error {
		rel, wrong := filepath.Rel(c.root, full)
		switch rel = filepath.ToSlash(rel); {
		case err != nil || wrong != nil:
			return cmp.Or(err, wrong)
		case d.IsDir() && rel != "." && skip(full, rel):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		return file(rel, func() (string, error) {
			text, err := os.ReadFile(full)
			return string(text), err
		})
	})
}

// hidden tells what the go command passes over by its name.
func hidden(rel string) bool {
	base := path.Base(rel)
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// load parses the tree. Folders that the go command skips, and other modules inside, are left out.
func (c *checker) load() error {
	byDir := map[string]*pkg{}
	skip := func(full, rel string) bool {
		_, err := os.Stat(filepath.Join(full, "go.mod"))
		return hidden(rel) || slices.Contains([]string{"testdata", "vendor"}, path.Base(rel)) || err == nil
	}
	err := c.walk(skip, func(rel string, read func() (string, error)) error {
		ext := path.Ext(rel)
		if hidden(rel) || !slices.Contains(compiled, ext) {
			return nil
		}
		dir := path.Dir(rel)
		p := byDir[dir]
		if p == nil {
			p = &pkg{dir: dir}
			p.row, p.known = rowOf(dir)
			byDir[dir] = p
			c.pkgs = append(c.pkgs, p)
		}
		if ext != ".go" {
			p.other = append(p.other, rel)
			return nil
		}
		text, err := read()
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(c.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			c.found = append(c.found, violation{rel, 1, "tree-compiles", err.Error()})
			return nil
		}
		lines := strings.Count(text, "\n")
		p.files = append(p.files, &source{name: rel, lines: lines, ast: f, test: strings.HasSuffix(rel, "_test.go")})
		return nil
	})
	// A folder that holds only other languages is no Go package.
	c.pkgs = slices.DeleteFunc(c.pkgs, func(p *pkg) bool { return len(p.files) == 0 })
	return err
}

// compiled are the endings of files that the go command hands to a compiler.
var compiled = []string{".go", ".s", ".S", ".sx", ".c", ".h", ".cc", ".cpp", ".cxx", ".m", ".f", ".syso", ".swig", ".swigcxx"}
