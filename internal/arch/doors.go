package arch

import (
	"go/ast"
	"slices"
)

// openers are the functions of package os that open files by name, or make them.
var openers = []string{"Open", "OpenFile", "OpenRoot", "OpenInRoot", "DirFS", "Create", "CreateTemp", "ReadFile", "WriteFile", "Rename", "Link", "Symlink", "CopyFS"}

// inside are files that keep what no user names.
var inside = []struct{ file, why string }{
	{"internal/studies/lab/cache.go", "results of simulations, kept in the store's folder"},
}

// checkDoors has commands and studies open and make files by package files alone.
func (c *checker) checkDoors(p *pkg) {
	if !within(p.dir, "cmd") && !within(p.dir, "internal/studies") || p.row.testOnly {
		return
	}
	for _, f := range p.code() {
		os := nameOf(f.ast, "os")
		if os == "" || slices.ContainsFunc(inside, func(i struct{ file, why string }) bool { return i.file == f.name }) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(openers, s.Sel.Name) {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == os {
				c.report(s.Pos(), "files-one-door", "os.%s: use package files, which knows every form of text, and keeps inputs and strangers' files from being replaced", s.Sel.Name)
			}
			return true
		})
	}
}

// nameOf is the name by which a file calls a package that it imports, "" if it does not.
func nameOf(f *ast.File, path string) string {
	for _, spec := range f.Imports {
		switch {
		case importPath(spec) != path:
		case spec.Name == nil:
			return path
		default:
			return spec.Name.Name
		}
	}
	return ""
}
