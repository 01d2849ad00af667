// Package sim plays.
//
//	preformatted text may be as wide as it has to be, such as a table of what a paper calls something and the name that it has in the code
package sim

// Address is code, which may be wide.
var Address = "https://example.org/a/very/long/path/that/cannot/be/broken/into/two/because/it/is/one/word/for/the/reader"
