package arch

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// doors are the packages of the standard library, with all below them, through which a package
// learns or does something that its arguments do not tell it.
var doors = []string{
	"C", "crypto/rand", "database/sql", "expvar", "flag", "hash/maphash", "io/ioutil", "log", "net", "os", "path/filepath",
	"plugin", "runtime/cgo", "runtime/coverage", "runtime/debug", "runtime/metrics", "runtime/pprof", "runtime/trace",
	"sync", "syscall", "testing", "time/tzdata", "unique", "unsafe", "weak",
}

// closedDoor tells whether purity forbids a package of the standard library altogether.
func closedDoor(path string) bool {
	return path == "context" || slices.ContainsFunc(doors, func(d string) bool { return within(path, d) })
}

// forbidden are functions and variables of packages that are otherwise fine.
var forbidden = map[string]struct {
	rule   string
	names  []string // these are forbidden
	except []string // or all functions but these
}{
	"time":         {rule: "purity-clock", names: []string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc", "Local", "LoadLocation"}},
	"math/rand":    {rule: "purity-rand", except: []string{"New", "NewSource", "NewZipf"}},
	"math/rand/v2": {rule: "purity-rand", except: []string{"New", "NewPCG", "NewChaCha8", "NewZipf"}},
	"fmt":          {rule: "purity-print", names: []string{"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"}},
	"iter":         {rule: "purity-goroutine", names: []string{"Pull", "Pull2"}},
	"context":      {rule: "purity-context", except: []string{"Cause"}},
	"runtime":      {rule: "purity-process", except: []string{"Version"}},
	"maps":         {rule: "purity-map-range", names: []string{"Keys", "Values", "All", "DeleteFunc", "EqualFunc"}},
}

// writers are functions that write to their first argument.
var writers = map[string][]string{
	"slices": {"Sort", "SortFunc", "SortStableFunc", "Reverse", "Insert", "Delete", "DeleteFunc", "Replace", "Compact", "CompactFunc"},
	"sort":   {"Slice", "SliceStable", "Ints", "Strings", "Float64s", "Sort", "Stable"},
	"maps":   {"Copy", "Insert", "DeleteFunc"},
}

// checkPurity holds the code of all pure packages to the purity rules.
func (c *checker) checkPurity() error {
	var std []string
	for _, p := range c.pkgs {
		if !p.row.pure {
			continue
		}
		for _, f := range p.code() {
			for _, spec := range f.ast.Imports {
				if to := importPath(spec); isStd(to) && to != "unsafe" && (!closedDoor(to) || permitted(p.dir, to)) {
					std = append(std, to)
				}
			}
		}
	}
	slices.Sort(std)
	if err := needStd(slices.Compact(std)); err != nil {
		return err
	}
	for _, p := range c.pkgs {
		if p.row.pure {
			c.checkPure(p)
		}
	}
	return nil
}

func (c *checker) checkPure(p *pkg) {
	for _, name := range p.other {
		c.found = append(c.found, violation{name, 1, "purity-platform", "only Go here"})
	}
	t := c.typeCheck(p)
	if !t.hollow {
		for _, err := range t.errors {
			c.report(err.Pos, "tree-compiles", "%s", err.Msg)
		}
	}
	for _, f := range p.code() {
		c.checkPlatform(f)
		for _, spec := range f.ast.Imports {
			to := importPath(spec)
			if within(to, module) {
				if r, ok := rowOf(strings.TrimPrefix(to, module+"/")); ok && !r.pure {
					c.report(spec.Pos(), "purity-closed", "%s is pure, %s is not", p.dir, r.dir)
				}
			} else if isStd(to) && closedDoor(to) && !permitted(p.dir, to) {
				name := "purity-imports"
				if to == "context" {
					name = "purity-context"
				}
				c.report(spec.Pos(), name, "pure package %s imports %s", p.dir, to)
			}
		}
		w := &pureWalk{checker: c, info: t.info, sorted: map[*ast.Ident]bool{}, given: map[types.Object][]ast.Expr{}, called: map[*ast.Ident]bool{}}
		w.file(f.ast)
		if slices.Contains([]string{"policies", "kernel", "sched"}, p.row.layer) {
			ast.Inspect(f.ast, w.gives)
			ast.Inspect(f.ast, w.floats)
		}
	}
}

// checkPlatform finds files that are not part of every build.
func (c *checker) checkPlatform(f *source) {
	elsewhere := build.Default
	elsewhere.GOOS, elsewhere.GOARCH, elsewhere.CgoEnabled = "plan9", "mips", false
	if ok, err := elsewhere.MatchFile(filepath.Join(c.root, filepath.Dir(f.name)), filepath.Base(f.name)); err == nil && !ok {
		c.report(f.ast.Package, "purity-platform", "not part of every build, by its name or its build constraint")
		return
	}
	for _, group := range f.ast.Comments {
		for _, line := range group.List {
			if line.Pos() < f.ast.Package && (strings.HasPrefix(line.Text, "//go:build") || strings.HasPrefix(line.Text, "// +build")) {
				c.report(f.ast.Package, "purity-platform", "has a build constraint")
			}
		}
	}
}

// A pureWalk goes over one file of a pure package.
type pureWalk struct {
	*checker
	info   *types.Info
	sorted map[*ast.Ident]bool   // names of maps.Keys and the like that are called as argument of slices.Sorted
	alias  map[types.Object]bool // local variables of the declaration at hand that stand for package state

	given  map[types.Object][]ast.Expr // what variables are given; nil: a calculation in place
	called map[*ast.Ident]bool         // names of comparing functions that are called
}

func (w *pureWalk) file(f *ast.File) {
	ast.Inspect(f, w.remember)
	ast.Inspect(f, w.visit)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" || d.Body == nil {
				continue
			}
			w.alias = w.aliases(d.Body)
			ast.Inspect(d.Body, w.writes)
		case *ast.GenDecl:
			w.alias = w.aliases(d)
			ast.Inspect(d, w.initializers)
		}
	}
}

// remember notes calls such as slices.Sorted(maps.Keys(m)): their result does not depend on the map's order.
func (w *pureWalk) remember(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return true
	}
	if id := calleeName(call); id != nil && w.is(id, "slices", "Sorted") {
		if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok {
			if id := calleeName(inner); id != nil {
				w.sorted[id] = true
			}
		}
	}
	return true
}

// calleeName is the identifier that names the function called, if a name calls it.
func calleeName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// is tells whether id means one of the package-level objects of the package at path.
func (w *pureWalk) is(id *ast.Ident, path string, names ...string) bool {
	o := w.info.Uses[id]
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == path && o.Parent() == o.Pkg().Scope() && slices.Contains(names, o.Name())
}

// visit reports everything but writes to package variables.
func (w *pureWalk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		w.report(n.Pos(), "purity-goroutine", "go statement")
	case *ast.ChanType:
		w.report(n.Pos(), "purity-channel", "channel type")
	case *ast.SendStmt:
		w.report(n.Arrow, "purity-channel", "send")
	case *ast.SelectStmt:
		w.report(n.Pos(), "purity-channel", "select")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			w.report(n.Pos(), "purity-channel", "receive")
		}
	case *ast.RangeStmt:
		t := w.info.TypeOf(n.X)
		if anyTerm(t, isMap) {
			w.report(n.Pos(), "purity-map-range", "range over a map: its order differs from run to run; range over slices.Sorted(maps.Keys(m)), or keep a slice")
		}
		if anyTerm(t, isChan) {
			w.report(n.Pos(), "purity-channel", "range over a channel")
		}
	case *ast.Ident:
		w.use(n)
	}
	return true
}

// use reports the mention of a forbidden object.
func (w *pureWalk) use(id *ast.Ident) {
	o := w.info.Uses[id]
	if b, ok := o.(*types.Builtin); ok {
		switch b.Name() {
		case "print", "println":
			w.report(id.Pos(), "purity-print", "%s", b.Name())
		case "close":
			w.report(id.Pos(), "purity-channel", "close")
		}
	}
	if o == nil || o.Pkg() == nil {
		return
	}
	path := o.Pkg().Path()
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		switch {
		case path == "reflect" && slices.Contains([]string{"MapRange", "MapKeys", "Seq", "Seq2"}, f.Name()):
			w.report(id.Pos(), "purity-map-range", "reflect's %s may go over a map", f.Name())
		case path == "time" && f.Name() == "Local":
			w.report(id.Pos(), "purity-clock", "time.Time.Local depends on the machine's time zone")
		}
		return
	}
	f, ok := forbidden[path]
	if !ok || o.Parent() != o.Pkg().Scope() || w.sorted[id] {
		return
	}
	_, isFunc := o.(*types.Func)
	if slices.Contains(f.names, o.Name()) || f.names == nil && isFunc && !slices.Contains(f.except, o.Name()) {
		w.report(id.Pos(), f.rule, "%s.%s", path, o.Name())
	}
}

// initializers looks for functions within the declarations of variables that are not called on the
// spot: what they write, they write later. Before that, a declaration may write what it likes.
func (w *pureWalk) initializers(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
			ast.Inspect(lit.Body, w.initializers)
			for _, a := range n.Args {
				ast.Inspect(a, w.initializers)
			}
			return false
		}
	case *ast.FuncLit:
		ast.Inspect(n.Body, w.writes)
		return false
	}
	return true
}

// writes reports writes to package variables, and the taking of their addresses.
func (w *pureWalk) writes(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, x := range n.Lhs {
				w.written(x, "assignment to")
			}
		}
	case *ast.IncDecStmt:
		w.written(n.X, "change of")
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.written(n.Key, "range into")
			w.written(n.Value, "range into")
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.written(n.X, "address of")
		}
	case *ast.SelectorExpr:
		w.pointerMethod(n)
	case *ast.CallExpr:
		w.writingCall(n)
	}
	return true
}

// pointerMethod reports x.M where x is, or lies in, a package variable and M takes its address.
func (w *pureWalk) pointerMethod(n *ast.SelectorExpr) {
	s := w.info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal || s.Indirect() {
		return
	}
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return
	}
	_, toPointer := f.Signature().Recv().Type().(*types.Pointer)
	_, onPointer := s.Recv().Underlying().(*types.Pointer)
	if toPointer && !onPointer {
		w.written(n.X, "method "+n.Sel.Name+" takes the address of")
	}
}

// writingCall reports calls that write to their first argument.
func (w *pureWalk) writingCall(call *ast.CallExpr) {
	id := calleeName(call)
	if id == nil || len(call.Args) == 0 {
		return
	}
	o := w.info.Uses[id]
	if b, ok := o.(*types.Builtin); ok && slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
		w.writtenIn(call.Args[0], b.Name()+" on")
		return
	}
	if o != nil && o.Pkg() != nil && w.is(id, o.Pkg().Path(), writers[o.Pkg().Path()]...) {
		w.writtenIn(call.Args[0], o.Pkg().Name()+"."+o.Name()+" on")
	}
}

// written reports x if it is, or lies in, a package variable of any package, or lies behind an alias of one.
func (w *pureWalk) written(x ast.Expr, how string) {
	id, past := w.root(x)
	w.spoilt(id, past, how)
}

// writtenIn reports a slice or map whose elements are written, as written does for each of them.
func (w *pureWalk) writtenIn(x ast.Expr, how string) {
	id, past := w.root(x)
	if part, ok := ast.Unparen(x).(*ast.SliceExpr); ok {
		x = part.X
	}
	w.spoilt(id, past || !w.isA(x, isArray), how)
}

// spoilt reports a write to what a name stands for, or to what lies past it.
func (w *pureWalk) spoilt(id *ast.Ident, past bool, how string) {
	if id == nil {
		return
	}
	switch o := w.info.Uses[id]; {
	case o == nil:
	case isPackageVar(o):
		w.report(id.Pos(), "purity-globals", "%s package variable %s", how, o.Name())
	case past && w.alias[o]:
		w.report(id.Pos(), "purity-globals", "%s what the package's state and %s share", how, o.Name())
	}
}

// anyTerm tells whether a type, or one that a type parameter may stand for, is of a kind.
func anyTerm(t types.Type, kind func(types.Type) bool) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
		return kind(t.Underlying())
	}
	var inside func(t types.Type) bool
	inside = func(t types.Type) bool {
		switch u := t.Underlying().(type) {
		case *types.Interface:
			for i := range u.NumEmbeddeds() {
				if inside(u.EmbeddedType(i)) {
					return true
				}
			}
		case *types.Union:
			for i := range u.Len() {
				if inside(u.Term(i).Type()) {
					return true
				}
			}
		default:
			return kind(u)
		}
		return false
	}
	return inside(t)
}

func isMap(t types.Type) bool {
	_, ok := t.(*types.Map)
	return ok
}

func isChan(t types.Type) bool {
	_, ok := t.(*types.Chan)
	return ok
}
