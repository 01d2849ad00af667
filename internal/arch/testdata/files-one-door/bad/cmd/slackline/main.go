// Package main opens and makes files by itself.
package main

import (
	"io"
	system "os"
)

func main() {
	f, err := system.Create("out") // want files-one-door
	if err != nil {
		return
	}
	make := system.WriteFile // want files-one-door
	_ = make("in", nil, 0o666)
	_, _ = io.WriteString(f, "x")
}
