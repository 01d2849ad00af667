// Package misplaced lies in a folder that the table does not know.
package misplaced // want imports-unknown
