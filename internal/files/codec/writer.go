package codec

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Outputs are the kinds that can be written, by name.
var Outputs = []string{"gzip", "zstd"}

// ByName returns the kind of output of that name; "" is None.
func ByName(name string) (Kind, error) {
	switch name {
	case "":
		return None, nil
	case "gzip":
		return Gzip, nil
	case "zstd":
		return Zstd, nil
	}
	return None, fmt.Errorf("output cannot be compressed with %q; use gzip or zstd", name)
}

// Extension is what the names of files of the kind end with.
func (k Kind) Extension() string {
	return [...]string{"", ".gz", ".zst", ".bz2", ".sz", ".s2"}[k]
}

// NewWriter returns a writer that compresses with gzip or zstd, each with a checksum and at its
// usual level. Close ends the data and leaves w open. The same bytes always give the same output.
func (k Kind) NewWriter(w io.Writer) (io.WriteCloser, error) {
	switch k {
	case Gzip:
		return gzip.NewWriter(w), nil
	case Zstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	}
	return nil, fmt.Errorf("output cannot be compressed with %v", k)
}
