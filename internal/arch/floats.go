package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// comparing are functions that compare what they are handed.
var comparing = map[string][]string{
	"cmp":    {"Compare", "Less"},
	"slices": {"Sort", "BinarySearch", "IsSorted", "Compare", "Equal", "Index", "Contains"},
	"sort":   {"Float64s", "SearchFloat64s", "Float64sAreSorted"},
}

// floats reports comparisons of floats that are not rounded: by operators, a switch, and the functions above. What units.Rounded returns may
// be compared. So may be a number that is held to a constant as it stands, as one asks whether something is set or within its range; but
// not the result of a calculation. max and min are no comparisons: of two floats that are nearly the same either will do.
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
	case *ast.CallExpr:
		id := calleeName(n)
		if id == nil || !slices.ContainsFunc(n.Args, w.raw) {
			return true
		}
		o := w.info.Uses[id]
		if o != nil && o.Pkg() != nil && w.is(id, o.Pkg().Path(), comparing[o.Pkg().Path()]...) {
			w.report(n.Pos(), "floats-rounded", "%s.%s of floats that units.Rounded has not rounded", o.Pkg().Name(), o.Name())
		}
	}
	return true
}

// checks tells whether x is a variable, as it stands, and y a constant.
func (w *pureWalk) checks(x, y ast.Expr) bool {
	switch ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return w.info.Types[y].Value != nil
	}
	return false
}

// raw tells whether an expression is a float, or a list of them, that is neither a constant nor the result of units.Rounded.
func (w *pureWalk) raw(x ast.Expr) bool {
	tv, ok := w.info.Types[x]
	if !ok || tv.Value != nil || tv.Type == nil || !anyTerm(tv.Type, isFloats) {
		return false
	}
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		if id := calleeName(call); id != nil && w.is(id, module+"/units", "Rounded") {
			return false
		}
	}
	return true
}

func isFloats(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Info()&types.IsFloat != 0
	case *types.Slice:
		return isFloats(t.Elem().Underlying())
	}
	return false
}
