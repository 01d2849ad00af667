//go:build unix

package outdir

import "syscall"

// writable tells why this process may not make files in a folder.
func writable(dir string) error {
	const write, search = 2, 1 // W_OK, X_OK
	return syscall.Access(dir, write|search)
}
