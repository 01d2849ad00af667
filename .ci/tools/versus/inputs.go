package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// path is a file or folder of the inputs.
func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// make writes an input once.
func (b *bench) make(name string, write func(path string) error) func() error {
	return func() error {
		if _, err := os.Stat(b.path(name)); err == nil {
			return nil
		}
		return write(b.path(name))
	}
}

const words = 100_000

// text writes lines of about ten words, which occur by Zipf's law with exponent 1.
func (b *bench) text(path string) error {
	random := rand.New(rand.NewPCG(1, 2))
	names := make([]string, words)
	upTo := make([]float64, words) // of the weights
	sum := 0.0
	for i := range names {
		name := make([]byte, 2+random.IntN(9))
		for k := range name {
			name[k] = byte('a' + random.IntN(26))
		}
		names[i] = fmt.Sprintf("%s%d", name, i%97)
		sum += 1 / float64(i+1)
		upTo[i] = sum
	}
	// A table of the quantiles: the word of a draw is found by one look and a few steps.
	const cells = 1 << 16
	first := make([]int32, cells)
	for c, i := 0, int32(0); c < cells; c++ {
		for upTo[i] < float64(c)/cells*sum {
			i++
		}
		first[c] = i
	}
	return b.fill(path, int64(b.mb)*1e6, func(w *bufio.Writer) (n int) {
		for range 10 {
			u := random.Float64()
			i := first[int(u*cells)]
			for upTo[i] < u*sum {
				i++
			}
			name := names[i]
			if random.IntN(2_000_000) == 0 { // a few for grep to find
				name = fmt.Sprintf("qx%03d7", random.IntN(1000))
			}
			m, _ := w.WriteString(name)
			_ = w.WriteByte(' ')
			n += m + 1
		}
		_ = w.WriteByte('\n')
		return n + 1
	})
}

// tera writes records of 100 bytes: a key of 10 printable ones, 88 more and CR LF.
func (b *bench) tera(path string) error {
	random := rand.New(rand.NewPCG(3, 4))
	record := make([]byte, 100)
	row := 0
	return b.fill(path, int64(b.mb)*1e6/100*100, func(w *bufio.Writer) int {
		x, y := random.Uint64(), random.Uint64()
		for i := range 5 {
			record[i] = byte(' ' + x%95)
			record[5+i] = byte(' ' + y%95)
			x, y = x/95, y/95
		}
		copy(record[10:], fmt.Sprintf("  %032X  ", row))
		for i := 46; i < 98; i++ {
			record[i] = byte('A' + (row+i/4)%26)
		}
		record[98], record[99] = '\r', '\n'
		row++
		n, _ := w.Write(record)
		return n
	})
}

func (b *bench) fill(path string, size int64, record func(*bufio.Writer) int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for n := int64(0); n < size; {
		n += int64(record(w))
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

const files = 10_000

// many writes a folder of small files.
func (b *bench) many(path string) error {
	if err := os.Mkdir(path, 0o777); err != nil {
		return err
	}
	for i := range files {
		text := fmt.Sprintf("file %d of many, with a few words about %d and %d\n", i, i%7, int(math.Sqrt(float64(i))))
		if err := os.WriteFile(filepath.Join(path, fmt.Sprintf("%05d.txt", i)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) tiny(path string) error {
	return b.fill(path, 1000, func(w *bufio.Writer) int {
		n, _ := w.WriteString("to be or not to be\n")
		return n
	})
}
