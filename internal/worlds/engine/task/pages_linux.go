package task

import (
	"syscall"
	"unsafe"
)

const (
	largePage   = 2 << 20
	adviseLarge = 14 // MADV_HUGEPAGE, which package syscall does not name
)

// largePages asks the system to keep memory that is read here and there in pages of 2 MB, so that
// finding them costs less. It is advice: whether it is taken makes no difference but for speed.
func largePages(b []byte) {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int(-from & (largePage - 1))
	if size := (len(b) - skip) &^ (largePage - 1); size > 0 {
		_ = syscall.Madvise(b[skip:skip+size], adviseLarge)
	}
}
