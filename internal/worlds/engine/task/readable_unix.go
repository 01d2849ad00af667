//go:build unix

package task

import "syscall"

// readable tells why this process may not read a file, without opening it: there may be many.
func readable(path string) error {
	const read = 4 // R_OK
	return syscall.Access(path, read)
}

// writable tells why this process may not make files in a folder.
func writable(dir string) error {
	const write, search = 2, 1 // W_OK, X_OK
	return syscall.Access(dir, write|search)
}
