// Package ledger works on what it is given.
package ledger

import (
	"bufio"
	"io"
)

func lines(r io.Reader) (n int) {
	for s := bufio.NewScanner(r); s.Scan(); {
		n++
	}
	return n
}
