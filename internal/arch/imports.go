package arch

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// checkImports holds a package's imports to the table.
func (c *checker) checkImports(p *pkg) {
	if !p.known {
		c.report(p.files[0].ast.Package, "imports-unknown",
			"folder %s has no row: add one to table in internal/arch/table.go, with its layer and the reason", p.dir)
	}
	for _, f := range p.files {
		for _, spec := range f.ast.Imports {
			to := importPath(spec)
			switch {
			case within(to, module):
				if p.known && !f.test {
					c.checkInside(p, spec, strings.TrimPrefix(strings.TrimPrefix(to, module), "/"))
				}
			case !isStd(to):
				c.checkOutside(p, f, spec, to)
			}
		}
	}
}

// checkInside judges an import of another package of the module.
func (c *checker) checkInside(p *pkg, spec *ast.ImportSpec, to string) {
	target, ok := rowOf(to)
	if !ok {
		return // its own package is reported as unknown
	}
	if target.testOnly && !p.row.testOnly {
		c.report(spec.Pos(), "imports-tests", "%s is for tests only; %s is not", to, p.dir)
	}
	from := layerOf(p.row.layer)
	if from.name == target.layer || slices.Contains(from.may, target.layer) || slices.Contains(from.may, target.dir) {
		return
	}
	name := "imports-down"
	switch {
	case from.rule != "":
		name = from.rule
	case from.name == "kernel" && target.layer == "policies", from.name == "policies" && target.layer == "kernel":
		name = "imports-apart"
	case from.name == "worlds" && target.layer == "policies":
		name = "imports-world"
	}
	c.report(spec.Pos(), name, "%s (%s) imports %s (%s): %s", p.dir, from.name, to, target.layer, from.why)
}

// checkOutside judges an import of a package of another module.
func (c *checker) checkOutside(p *pkg, f *source, spec *ast.ImportSpec, to string) {
	allowed := func(modules []string) bool {
		return slices.ContainsFunc(modules, func(m string) bool { return within(to, m) })
	}
	if allowed(p.row.external) || (f.test || p.row.testOnly) && allowed(testExternal) {
		return
	}
	c.report(spec.Pos(), "imports-external", "%s imports %s, which neither its row nor, for tests, testExternal in internal/arch/table.go lists", p.dir, to)
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// isStd tells the standard library from modules: only a module's path begins with a domain.
func isStd(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
