// Package order lies below a folder of the table.
package order
