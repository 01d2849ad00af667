// Package automaton finds, in large blocks of text, the lines that match a regular expression.
//
// Its expressions are those of Go's package regexp, and so are its answers: a line (what stands
// between LFs) matches when regexp.Match says so. regexp itself looks at some 20 to 50 MB/s where
// an expression has no literal at its start. Here
//
//   - an expression in which each match has to contain some literal is looked for by that literal:
//     by its rarest byte, with the instructions of the processor that compare many at once, or,
//     where that byte is all over the text, by two of its bytes. Only what stands around it is
//     looked at closely;
//   - any other is run as a deterministic automaton over the block as a whole, one look into a
//     table for each byte. '\n' is a byte like others to it: it leads from any state to the first
//     one. The table is filled as the text asks for it, has a bound, and is started again when it
//     is full. Four parts of the block are run in turns, as the look of one has to wait for the one
//     before, but not for those of other parts;
//   - what makes so many states that the table is of no use goes to regexp, line by line, and Scanner.Method says so.
//
// The automaton reads bytes. Text that is not UTF-8 is read as regexp reads it: a byte that begins
// no character is a U+FFFD of its own.
//
// An Expr may be used by many goroutines, a Scanner by one.
package automaton
