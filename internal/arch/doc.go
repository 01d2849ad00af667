// Package arch checks, over the syntax tree of the whole module, that the code keeps to its architecture.
//
// The import table (table.go) says which layer each folder belongs to, what a layer may import and
// which modules from outside it may use. The rules (rules.go) are of three sorts: imports go down
// the table only; everything below the worlds is pure, so that a replay decides the same again; and
// a few habits that keep the tree readable.
//
// Every rule has a folder testdata/<rule> with a small tree that breaks it, the places marked by a
// "want" comment, and one that does not. "go test -run TestRules -v ./internal/arch" lists the
// rules with the fixtures that break them.
//
// Test files are exempt from the layer table and from purity: a test may look at anything in the
// module. They keep to the list of outside modules for tests.
//
// What the check cannot see, it does not claim: a package variable that is changed through an alias
// (s := table; s[0] = 1, or through table[:] of an array) or by a function that was handed it
// passes unnoticed, apart from the well-known functions of slices, sort and maps.
package arch
