// Package config reads the files that people write, in YAML, into Go structs. It is the one place
// that reads YAML.
//
// The structs are the description of the format: their json tags are the keys, their doc tags the
// help, their need, some, min, above, max and enum tags the rules, and their def tags say what
// holds without a key. Reading and the JSON Schema both follow these tags, so they cannot disagree.
//
//	source ─ Parse ─▶ Document ─ Read by the struct's tags ─▶ checks of the caller, by path ─▶ Err
//
// Reading is strict. Every error is one sentence with file, line and column, what was wrong and
// what would be right: an unknown key names the nearest one, a size or a span without a unit gets
// an example. All errors of a file are reported together, in the order of the file. A caller adds
// what tags cannot say with Failf, at the path of a value.
package config
