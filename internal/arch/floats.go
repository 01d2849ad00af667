package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// comparing are functions, and a type, that compare what they are handed.
var comparing = map[string][]string{
	"cmp":    {"Compare", "Less"},
	"math":   {"Signbit"},
	"slices": {"Sort", "Sorted", "BinarySearch", "IsSorted", "Compare", "Equal", "Index", "Contains", "Compact"},
	"sort":   {"Float64s", "SearchFloat64s", "Float64sAreSorted", "Float64Slice"},
}

// floats reports comparisons of floats that are not rounded: by operators, also of structs and
// arrays that hold some, by a switch, by the functions above, called or handed on, and as keys of a
// map. What units.Rounded and units.RoundedUp return may be compared, also from a local variable that
// is never given anything else. So may be a number that is held to a constant as it stands, as one asks whether
// something is set or within its range; but not the result of a calculation, nor a local variable or
// a parameter that is given one, the latter by a call in the same file.
//
// max and min, and those of slices, are no comparisons: of two floats that are nearly the same either will do.
//
// A float that becomes a whole number, such as a count or a duration, has to be rounded, too: it
// decides at the edge between two of these. That is so for a conversion and for the functions of units
// that are handed a float and give a whole number, such as FromSeconds and Duration.Scale.
//
// It does not see the bits of a float (math.Float64bits); floats in an interface, or in a number of math/big;
// and a calculation that is held to a constant behind a field, an element, a pointer, the variable of
// a range, the result of a function, a second variable, or a parameter that is handed it in another
// file, through a variable, or by a variadic or generic call.
func (w *pureWalk) floats(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			if (w.raw(n.X) || w.raw(n.Y)) && !w.checks(n.X, n.Y) && !w.checks(n.Y, n.X) {
				w.report(n.OpPos, "floats-rounded", "%s of floats that units.Rounded has not rounded", n.Op)
			}
		}
	case *ast.SwitchStmt:
		if n.Tag != nil && w.raw(n.Tag) {
			w.report(n.Pos(), "floats-rounded", "switch over a float that units.Rounded has not rounded")
		}
	case *ast.MapType:
		if key := w.info.Types[n.Key].Type; key != nil && anyTerm(key, isFloats) {
			w.report(n.Pos(), "floats-rounded", "a map finds its keys by comparing floats that units.Rounded has not rounded")
		}
	case *ast.Ident:
		if !w.called[n] && w.compares(n) && w.ofFloats(n) {
			w.report(n.Pos(), "floats-rounded", "%s of floats that units.Rounded has not rounded", n.Name)
		}
		if !w.called[n] && w.makesWhole(n) {
			w.report(n.Pos(), "floats-rounded", "%s is handed on and makes whole numbers of any floats", n.Name)
		}
	case *ast.CallExpr:
		if to := w.info.Types[n.Fun]; to.IsType() && len(n.Args) == 1 && isWhole(to.Type) && w.raw(n.Args[0]) {
			w.report(n.Pos(), "floats-rounded", "a whole number is made of a float that units.Rounded has not rounded")
		}
		if id := calleeName(n); id != nil && w.makesWhole(id) {
			w.called[id] = true
			if slices.ContainsFunc(n.Args, w.raw) {
				w.report(n.Pos(), "floats-rounded", "%s of a float that units.Rounded has not rounded", id.Name)
			}
		}
		if id := calleeName(n); id != nil && w.compares(id) {
			w.called[id] = true
			if slices.ContainsFunc(n.Args, w.raw) || id.Name == "Sorted" && w.ofFloats(id) { // of a sequence
				w.report(n.Pos(), "floats-rounded", "%s of floats that units.Rounded has not rounded", id.Name)
			}
		}
	}
	return true
}

// makesWhole tells whether the identifier names a function of units that makes a whole number of a float.
func (w *pureWalk) makesWhole(id *ast.Ident) bool {
	f, ok := w.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != module+"/units" {
		return false
	}
	holds := func(list *types.Tuple, kind func(types.Type) bool) bool {
		for v := range list.Variables() {
			if kind(v.Type()) {
				return true
			}
		}
		return false
	}
	return holds(f.Signature().Params(), isFloats) && holds(f.Signature().Results(), isWhole)
}

// compares tells whether the identifier names something that compares.
func (w *pureWalk) compares(id *ast.Ident) bool {
	o := w.info.Uses[id]
	return o != nil && o.Pkg() != nil && w.is(id, o.Pkg().Path(), comparing[o.Pkg().Path()]...)
}

// ofFloats tells whether a function that is handed on, such as cmp.Compare[float64], compares
// floats. Those of sort and math compare nothing else.
func (w *pureWalk) ofFloats(id *ast.Ident) bool {
	if pkg := w.info.Uses[id].Pkg().Path(); pkg == "sort" || pkg == "math" {
		return true
	}
	of := w.info.Instances[id].TypeArgs
	for i := range of.Len() {
		if anyTerm(of.At(i), isFloats) {
			return true
		}
	}
	return false
}

// checks tells whether x is a variable, as it stands, and y a constant.
func (w *pureWalk) checks(x, y ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return w.info.Types[y].Value != nil && !slices.ContainsFunc(w.given[w.info.Uses[x]], w.calculates)
	case *ast.SelectorExpr, *ast.IndexExpr:
		return w.info.Types[y].Value != nil
	}
	return false
}

// calculates tells whether an expression is a calculation, also with another sign or type; nil stands for one
// in place, such as x += y.
func (w *pureWalk) calculates(x ast.Expr) bool {
	if x == nil {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return w.calculates(x.X)
	case *ast.CallExpr:
		return w.info.Types[x.Fun].IsType() && w.calculates(x.Args[0])
	}
	return false
}

// gives notes what variables are given.
func (w *pureWalk) gives(n ast.Node) bool {
	note := func(to *ast.Ident, x ast.Expr) {
		o := w.info.Defs[to]
		if o == nil {
			o = w.info.Uses[to]
			if len(w.given[o]) == 0 {
				// A parameter, or the like: nobody knows what it was before.
				w.given[o] = append(w.given[o], &ast.BadExpr{})
			}
		}
		w.given[o] = append(w.given[o], x)
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			switch id, ok := to.(*ast.Ident); {
			case !ok:
			case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
				note(id, nil)
			case len(n.Lhs) == len(n.Rhs):
				note(id, n.Rhs[i])
			default:
				note(id, n.Rhs[0])
			}
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if i < len(n.Values) {
				note(id, n.Values[i])
			}
		}
	case *ast.IncDecStmt:
		if id, ok := n.X.(*ast.Ident); ok {
			note(id, nil)
		}
	case *ast.CallExpr: // the parameters of a function of the package
		id := calleeName(n)
		if id == nil {
			break
		}
		f, ok := w.info.Uses[id].(*types.Func)
		if !ok || f.Signature().Variadic() || f.Signature().Params().Len() != len(n.Args) {
			break
		}
		for i, x := range n.Args {
			// Others may hand it anything.
			to := f.Signature().Params().At(i)
			w.given[to] = append(w.given[to], &ast.BadExpr{}, x)
		}
	}
	return true
}

// rounded tells whether an expression is a constant, the result of units.Rounded, or one of these or a
// whole number as a float.
func (w *pureWalk) rounded(x ast.Expr) bool {
	if x == nil || w.info.Types[x].Value != nil {
		return x != nil
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	if to := w.info.Types[call.Fun]; to.IsType() && len(call.Args) == 1 {
		return !w.raw(call.Args[0])
	}
	id := calleeName(call)
	if id == nil {
		return false
	}
	if _, builtin := w.info.Uses[id].(*types.Builtin); builtin || w.is(id, "math", "Round", "Ceil", "Floor", "Trunc") {
		return !slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return w.raw(x) })
	}
	return w.is(id, module+"/units", "Rounded", "RoundedUp")
}

// raw tells whether an expression is a float, or holds some, that is neither a constant nor the
// result of units.Rounded.
func (w *pureWalk) raw(x ast.Expr) bool {
	tv, ok := w.info.Types[x]
	if !ok || tv.Value != nil || tv.Type == nil || !anyTerm(tv.Type, isFloats) || w.rounded(x) {
		return false
	}
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		if v, ok := w.info.Uses[id].(*types.Var); ok && v.Parent() != nil && v.Parent() != v.Pkg().Scope() {
			from := w.given[v]
			return len(from) == 0 || slices.ContainsFunc(from, func(x ast.Expr) bool { return !w.rounded(x) })
		}
	}
	return true
}

func isWhole(t types.Type) bool {
	b, is := t.Underlying().(*types.Basic)
	return is && b.Info()&types.IsInteger != 0
}

func isFloats(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsFloat != 0
	case *types.Slice:
		return isFloats(t.Elem())
	case *types.Array:
		return isFloats(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if _, list := f.Type().Underlying().(*types.Slice); !list && isFloats(f.Type()) {
				return true
			}
		}
	}
	return false
}
