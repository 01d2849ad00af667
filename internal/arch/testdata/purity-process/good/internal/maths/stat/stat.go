// Package stat may say for what it was built.
package stat

import "runtime"

func built() string { return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH }
