//go:build unix

package input

import "syscall"

// readable tells why this process may not read a file, without opening it: there may be many.
func readable(path string) error {
	const read = 4 // R_OK
	return syscall.Access(path, read)
}
