// Package codectest compresses texts for tests, in pieces as small as a test wants them.
package codectest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Pack compresses a text with gzip, zstd, bzip2, snappy, s2 or none, each part in a member, frame,
// block or chunk of its own.
func Pack(kind string, parts [][]byte) ([]byte, error) {
	var out bytes.Buffer
	switch kind {
	case "none":
		return bytes.Join(parts, nil), nil
	case "bzip2":
		var blocks [][]byte
		for i, p := range parts {
			if len(p) > 0 {
				blocks = append(blocks, p)
			}
			if i%3 == 2 { // a stream ends here and there
				out.Write(Bzip2(blocks...))
				blocks = nil
			}
		}
		out.Write(Bzip2(blocks...))
		return out.Bytes(), nil
	case "gzip":
		for _, p := range append(parts, nil) {
			w := gzip.NewWriter(&out)
			_, err := w.Write(p)
			if err = errors.Join(err, w.Close()); err != nil {
				return nil, err
			}
		}
		return out.Bytes(), nil
	case "zstd":
		return zstdFrames(parts)
	case "snappy":
		return chunks("\xff\x06\x00\x00sNaPpY", parts, s2.WriterConcurrency(1), s2.WriterSnappyCompat())
	case "s2":
		return chunks("\xff\x06\x00\x00S2sTwO", parts, s2.WriterConcurrency(1))
	}
	return nil, fmt.Errorf("nothing is called %s", kind)
}

func zstdFrames(parts [][]byte) ([]byte, error) {
	var out bytes.Buffer
	for i, p := range append(parts, nil) {
		if i%2 == 1 {
			out.WriteString("\x5e\x2a\x4d\x18\x03\x00\x00\x00abc") // a frame to be passed over
		}
		w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
		if err != nil {
			return nil, err
		}
		_, err = w.Write(p)
		if err = errors.Join(err, w.Close()); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func chunks(head string, parts [][]byte, options ...s2.WriterOption) ([]byte, error) {
	var out bytes.Buffer
	w := s2.NewWriter(&out, options...)
	for _, p := range parts {
		_, err := w.Write(p)
		if err = errors.Join(err, w.Flush()); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if out.Len() == 0 {
		return []byte(head), nil
	}
	return out.Bytes(), nil
}
