// Package units has a variable that others may write.
package units

// Zero should be a constant.
var Zero int

// Table should be a function.
var Table = []int{1, 2}
