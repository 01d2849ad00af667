// Package store is not pure.
package store

import (
	_ "os"
	_ "sync"
)
