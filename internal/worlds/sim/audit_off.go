//go:build !invariants

package sim

// audits tells whether this build checks itself.
const audits = false

// audit checks nothing: see audit.go for the build that does.
func (w *World) audit() {}
