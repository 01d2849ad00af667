// Package ledger opens many doors.
package ledger

import (
	_ "crypto/rand"  // want purity-imports
	_ "hash/maphash" // want purity-imports
	_ "log"          // want purity-imports
	_ "log/slog"     // want purity-imports
	_ "net"          // want purity-imports
	_ "net/http"     // want purity-imports
	_ "os"           // want purity-imports
	_ "os/exec"      // want purity-imports
	_ "sync"         // want purity-imports
	_ "sync/atomic"  // want purity-imports
	_ "syscall"      // want purity-imports
	_ "unsafe"       // want purity-imports
)
