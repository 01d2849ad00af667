package arch

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
)

// maxLines is the longest that a Go file may be; tests, and what a tool has written, may be longer.
const maxLines = 600

// vague are package names that say nothing about what is inside.
var vague = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"}

// checkTree holds a package to the habits that keep the tree readable.
func (c *checker) checkTree(p *pkg) {
	for _, f := range p.files {
		name := f.ast.Name.Name
		if slices.Contains(vague, name) || slices.Contains(vague, path.Base(p.dir)) {
			c.report(f.ast.Package, "tree-package-name", "%s (package %s): name it after what it does", p.dir, name)
		}
	}
	code := p.code()
	documented := len(code) == 0
	for _, f := range code {
		if f.lines > maxLines && !ast.IsGenerated(f.ast) {
			c.found = append(c.found, violation{f.name, maxLines + 1, "tree-file-size", "more than 600 lines: split it by what its parts do"})
		}
		documented = documented || f.ast.Doc != nil
		if p.row.public {
			c.checkDocs(f.ast)
		}
	}
	if !documented {
		c.report(code[0].ast.Package, "tree-package-doc", "package %s has no doc comment", p.dir)
	}
}

// checkDocs asks for a doc comment on everything that a file exports. Within parentheses the
// comment of the group, one above the line or one at its end will do.
func (c *checker) checkDocs(f *ast.File) {
	missing := func(id *ast.Ident) {
		c.report(id.Pos(), "tree-exported-doc", "%s is exported without a doc comment", id.Name)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				missing(d.Name)
			}
		case *ast.GenDecl:
			group := d.Lparen != token.NoPos
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && (group || d.Doc == nil) {
						missing(s.Name)
					}
				case *ast.ValueSpec:
					if d.Doc != nil || s.Doc != nil || group && s.Comment != nil {
						continue
					}
					for _, id := range s.Names {
						if id.IsExported() {
							missing(id)
						}
					}
				}
			}
		}
	}
}

// exportedReceiver tells whether a function is no method, or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
