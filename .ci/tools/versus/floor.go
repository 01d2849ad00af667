package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// floor does one piece of work with no engine around it: what it takes is what no engine can go below by much.
func floor(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "read":
		return floorRead(args[1])
	case len(args) == 3 && args[0] == "wordcount":
		return floorWordcount(args[1], args[2])
	case len(args) == 3 && args[0] == "sort":
		return floorSort(args[1], args[2])
	}
	return fmt.Errorf("unknown floor %q", args)
}

// floorRead reads a file, or all files below a folder, with two readers.
func floorRead(path string) error {
	var pieces []func(buf []byte) error
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		const step = 64 << 20
		for from := int64(0); from < info.Size(); from += step {
			pieces = append(pieces, func(buf []byte) error { return readPiece(file, from, min(from+step, info.Size()), buf) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	return both(func(half int) error {
		buf := make([]byte, 1<<20)
		for i := half; i < len(pieces); i += 2 {
			if err := pieces[i](buf); err != nil {
				return err
			}
		}
		return nil
	})
}

func readPiece(file string, from, to int64, buf []byte) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for from < to {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}

// both runs two workers.
func both(work func(half int) error) error {
	var group sync.WaitGroup
	var errs [2]error
	for half := range 2 {
		group.Go(func() { errs[half] = work(half) })
	}
	group.Wait()
	return cmp.Or(errs[0], errs[1])
}

// floorSort sorts records of 100 bytes by their first 10: places by prefix, cut at the middle of
// the keys, one half for each worker.
func floorSort(in, out string) error {
	const length = 100
	records, err := mapFile(in)
	if err != nil {
		return err
	}
	n := len(records) / length
	key := func(i int) uint64 { return binary.BigEndian.Uint64(records[i*length:]) }
	var sample []uint64
	for i := range min(n, 1000) {
		sample = append(sample, key(i*(n/min(n, 1000))))
	}
	slices.Sort(sample)
	if n == 0 {
		return os.WriteFile(out, nil, 0o666)
	}
	middle := sample[len(sample)/2]
	type record struct {
		key uint64
		at  int32
	}
	var halves [2][]record
	if err := both(func(half int) error {
		mine := make([]record, 0, n/2+n/8)
		for i := range n {
			if k := key(i); (k >= middle) == (half == 1) {
				mine = append(mine, record{k, int32(i)})
			}
		}
		slices.SortFunc(mine, func(a, b record) int {
			if a.key != b.key {
				return cmp.Compare(a.key, b.key)
			}
			return bytes.Compare(records[int(a.at)*length+8:][:2], records[int(b.at)*length+8:][:2])
		})
		halves[half] = mine
		return nil
	}); err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	err = both(func(half int) error {
		at := int64(half) * int64(len(halves[0])) * length
		buf := make([]byte, 0, 1<<20)
		for i, p := range halves[half] {
			buf = append(buf, records[int(p.at)*length:][:length]...)
			if len(buf)+length > cap(buf) || i == len(halves[half])-1 {
				if _, err := f.WriteAt(buf, at); err != nil {
					return err
				}
				at += int64(len(buf))
				buf = buf[:0]
			}
		}
		return nil
	})
	return cmp.Or(err, f.Close())
}
