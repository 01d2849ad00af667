package arch

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// A typedPkg is a pure package with what the type checker found out about it.
type typedPkg struct {
	types  *types.Package
	info   *types.Info
	errors []types.Error
	hollow bool // an import is forbidden and stood in for by an empty package, so errors say nothing
}

// typeCheck checks the code of a pure package and, first, of the pure packages it imports.
func (c *checker) typeCheck(p *pkg) *typedPkg {
	if t, ok := c.typed[p.dir]; ok {
		return t
	}
	t := &typedPkg{info: &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
	}}
	c.typed[p.dir] = t // a cycle ends here, with a type error
	var files []*ast.File
	for _, f := range p.code() {
		files = append(files, f.ast)
	}
	conf := types.Config{
		FakeImportC: true,
		Importer:    importFunc(func(path string) (*types.Package, error) { return c.importFor(p, t, path) }),
		Error: func(err error) {
			if te, ok := errors.AsType[types.Error](err); ok {
				t.errors = append(t.errors, te)
			}
		},
	}
	t.types, _ = conf.Check(module+"/"+p.dir, c.fset, files, t.info) // its errors are in t.errors
	return t
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// importFor finds what p imports: pure packages from the tree, the standard library from the build
// cache. In place of what p may not import stands an empty package, since the import is reported
// anyway.
func (c *checker) importFor(p *pkg, t *typedPkg, path string) (*types.Package, error) {
	if within(path, module) {
		dir := strings.TrimPrefix(path, module+"/")
		for _, q := range c.pkgs {
			if q.dir == dir && q.row.pure {
				tq := c.typeCheck(q)
				t.hollow = t.hollow || tq.hollow
				if tq.types == nil {
					return nil, fmt.Errorf("import cycle through %s", dir)
				}
				return tq.types, nil
			}
		}
	} else if isStd(path) && (!closedDoor(path) || permitted(p.dir, path)) {
		return standard().Import(path)
	}
	t.hollow = true
	empty := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	empty.MarkComplete()
	return empty, nil
}

// exported holds, for packages of the standard library, the files with their types that the go
// command has in its build cache. Reading them is many times faster than checking their sources.
var exported struct {
	sync.Mutex
	files map[string]string
}

// needStd asks the go command for the packages of the standard library that were not asked for before.
func needStd(paths []string) error {
	exported.Lock()
	defer exported.Unlock()
	if exported.files == nil {
		exported.files = map[string]string{}
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return exported.files[p] != "" })
	if len(paths) == 0 {
		return nil
	}
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "--"}, paths...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			exported.files[path] = file
		}
	}
	return nil
}

// standard is the one importer of the standard library, so that its types are the same everywhere.
var standard = sync.OnceValue(func() types.Importer {
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		exported.Lock()
		file := exported.files[path]
		exported.Unlock()
		if file == "" {
			return nil, fmt.Errorf("no package %s in the standard library", path)
		}
		return os.Open(file)
	})
})
