package arch

import (
	"go/ast"
	"go/token"
	"go/types"
)

// The rule purity-globals also holds for package state that is written under another name:
//
//	var table = make([]int, 4)
//
//	func spoil() {
//		t := table
//		t[0] = 1
//	}
//
// A local variable is an alias once it is assigned something read from a package variable, or from
// another alias: the variable itself, an element, a field, a part, what it points to, or an append
// to it. What is written through an alias, past a slice, map or pointer, is package state; the
// alias itself, and the fields of a copied struct, are not.
//
// The order of statements does not count: a variable that is an alias anywhere in a function is one
// everywhere in it. What goes through calls, returns, channels, fields of other values or type
// switches is not followed.

// aliases finds the aliases in a declaration, which may hold functions in functions.
func (w *pureWalk) aliases(within ast.Node) map[types.Object]bool {
	found := map[types.Object]bool{}
	for more := true; more; { // until a round finds none
		more = false
		pair := func(name, value ast.Expr) {
			id, ok := name.(*ast.Ident)
			if !ok {
				return
			}
			if o := w.object(id); o != nil && !found[o] && !isPackageVar(o) && w.shares(value, found) {
				found[o], more = true, true
			}
		}
		ast.Inspect(within, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
					pairs(n.Lhs, n.Rhs, pair)
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						pair(name, n.Values[i])
					}
				}
			case *ast.RangeStmt:
				pair(n.Key, n.X)
				pair(n.Value, n.X)
			}
			return true
		})
	}
	return found
}

// pairs calls pair for each variable of an assignment with what it is given. Of "v, ok := m[k]" the
// one value goes to v.
func pairs(names, values []ast.Expr, pair func(name, value ast.Expr)) {
	for i, name := range names {
		if i < len(values) {
			pair(name, values[i])
		}
	}
}

// object is what an identifier stands for, where it is declared and where it is used.
func (w *pureWalk) object(id *ast.Ident) types.Object {
	if o := w.info.Defs[id]; o != nil {
		return o
	}
	return w.info.Uses[id]
}

// shares tells whether a value may lie, in part, in the memory of a package variable or be what an alias is.
func (w *pureWalk) shares(value ast.Expr, aliases map[types.Object]bool) bool {
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok {
		if id := calleeName(call); id != nil && len(call.Args) > 0 {
			if b, ok := w.info.Uses[id].(*types.Builtin); ok && b.Name() == "append" {
				return !clipped(call.Args[0]) && w.shares(call.Args[0], aliases)
			}
		}
	}
	id, _ := w.root(value)
	if id == nil {
		return false
	}
	o := w.object(id)
	return o != nil && (isPackageVar(o) || aliases[o])
}

// clipped tells whether x is s[i:j:j], so that what is appended goes elsewhere.
func clipped(x ast.Expr) bool {
	s, ok := ast.Unparen(x).(*ast.SliceExpr)
	return ok && s.Slice3
}

// root is the variable in which x is, or lies, nil if none is named; past tells whether a slice,
// map or pointer lies between.
func (w *pureWalk) root(x ast.Expr) (id *ast.Ident, past bool) {
	for x != nil {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.IndexExpr:
			past = past || !w.isA(e.X, isArray)
			x = e.X
		case *ast.SliceExpr:
			past = past || w.isA(e.X, isPointer)
			x = e.X
		case *ast.StarExpr:
			past = true
			x = e.X
		case *ast.TypeAssertExpr:
			x = e.X
		case *ast.CallExpr: // a conversion
			if tv, ok := w.info.Types[e.Fun]; !ok || !tv.IsType() || len(e.Args) != 1 {
				return nil, false
			}
			x = e.Args[0]
		case *ast.SelectorExpr:
			s := w.info.Selections[e]
			if s == nil {
				return e.Sel, past
			}
			past = past || s.Indirect() || w.isA(e.X, isPointer)
			x = e.X
		case *ast.Ident:
			return e, past
		default:
			return nil, false
		}
	}
	return nil, false
}

func (w *pureWalk) isA(x ast.Expr, kind func(types.Type) bool) bool {
	t := w.info.TypeOf(x)
	return t != nil && kind(t.Underlying())
}

func isPackageVar(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

func isArray(t types.Type) bool {
	_, ok := t.(*types.Array)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.(*types.Pointer)
	return ok
}
