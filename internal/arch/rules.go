package arch

// A rule is something the tree keeps to. Its name is also the folder of its fixtures below testdata.
type rule struct{ name, says string }

var rules = []rule{
	{"imports-unknown", "every package belongs to a row of the import table in internal/arch/table.go"},
	{"imports-down", "an import goes down the list of layers only"},
	{"imports-apart", "policies and kernel do not import each other"},
	{"imports-world", "a world never imports a policy"},
	{"imports-words", "words import only words and the standard library"},
	{"imports-maths", "maths import only maths, units and the standard library"},
	{"imports-mapreduce", "the API for jobs imports only the standard library"},
	{"imports-referee", "the referee imports only the standard library"},
	{"imports-external", "a module from outside is imported only by the rows that list it"},
	{"imports-tests", "schedtest, adverse and conform are imported by tests and by each other only"},

	{"purity-imports", "no os, net, log, syscall, sync, unsafe, hash/maphash, crypto/rand or other door to the outside"},
	{"purity-closed", "a pure package imports only pure packages of this module"},
	{"purity-clock", "no reading of the clock, no sleeping, no timers, no local time zone"},
	{"purity-rand", "no global random numbers; a source made from a seed is fine"},
	{"purity-goroutine", "no go statement and nothing that starts a goroutine"},
	{"purity-channel", "no channel types, sends, receives, closes or select"},
	{"purity-context", "context.Context as a type, in drive only; nothing that makes, times or cancels one"},
	{"purity-print", "nothing printed on, nor read from, the process's own streams"},
	{"purity-process", "no look at processors, memory or call stacks"},
	{"purity-map-range", "no iteration over a map, except by slices.Sorted straight away"},
	{"purity-globals", "no package variable written outside its declaration and init, under its name or through a local one"},
	{"purity-platform", "the same code everywhere: no build constraints, cgo or assembly"},
	{"floats-rounded", "policies, kernel and contract compare no floats, and make none a whole number, but rounded ones (units.Rounded), so that they decide alike on every processor"},

	{"files-one-door", "commands and studies open and make files by package files alone"},

	{"tree-file-size", "a Go file that is not a test has at most 600 lines"},
	{"tree-package-name", "no package is called util, common, helper, manager or misc"},
	{"tree-package-doc", "every package has a doc comment"},
	{"tree-exported-doc", "what a public package exports has a doc comment"},
	{"text-phrases", "no phrase of internal/arch/phrases.txt, in code, comments, documents or scripts"},
	{"text-width", "a comment is not wider than 120 columns"},
	{"tree-compiles", "files can be parsed, pure packages pass the type checker"},
}
