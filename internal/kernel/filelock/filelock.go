// Package filelock locks files between processes. The system takes a lock from a process that ends,
// however it ends: so a lock tells whether its process lives.
package filelock

import "errors"

// ErrTaken says that another process has the lock.
var ErrTaken = errors.New("the lock is taken")
