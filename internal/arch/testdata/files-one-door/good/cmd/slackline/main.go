// Package main looks at files and makes folders, which loses nothing.
package main

import "os"

// Open opens what is no file.
func (d door) Open(string) error { return nil }

type door struct{}

func main() {
	var door door
	_ = door.Open("in")
	_ = os.MkdirAll("out", 0o777)
	_, _ = os.Stat("in")
}
