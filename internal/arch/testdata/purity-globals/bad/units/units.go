// Package units has a variable that others may write.
package units

// Zero should be a constant.
var Zero int
