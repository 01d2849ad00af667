package codectest

import (
	"bytes"
	"math/bits"
	"slices"
)

// Bzip2 writes a stream with blocks of these texts, as plainly as the format allows: so tests have
// blocks of any size at any bit.
func Bzip2(blocks ...[]byte) []byte {
	var w bitWriter
	w.write(0x425a6839, 32)
	sum := uint32(0)
	for _, text := range blocks {
		crc := checksum(text)
		sum = bits.RotateLeft32(sum, 1) ^ crc
		w.write(0x314159265359, 48)
		w.write(uint64(crc), 32)
		w.block(text)
	}
	w.write(0x177245385090, 48)
	w.write(uint64(sum), 32)
	return w.bytes()
}

type bitWriter struct {
	out  []byte
	last uint64
	n    uint
}

func (w *bitWriter) write(v uint64, n uint) {
	for n > 0 {
		n--
		w.last, w.n = w.last<<1|v>>n&1, w.n+1
		if w.n == 8 {
			w.out, w.last, w.n = append(w.out, byte(w.last)), 0, 0
		}
	}
}

func (w *bitWriter) bytes() []byte {
	if w.n > 0 {
		w.write(0, 8-w.n)
	}
	return w.out
}

func (w *bitWriter) block(text []byte) {
	data := runs(text)
	rotations := make([]int, len(data))
	for i := range rotations {
		rotations[i] = i
	}
	double := append(append([]byte{}, data...), data...)
	slices.SortFunc(rotations, func(a, b int) int {
		return bytes.Compare(double[a:a+len(data)], double[b:b+len(data)])
	})
	last := make([]byte, len(data))
	var used [256]bool
	for i, r := range rotations {
		last[i] = double[r+len(data)-1]
		used[last[i]] = true
	}
	w.write(0, 1)
	w.write(uint64(slices.Index(rotations, 0)), 24)
	var order []byte
	for i := range 16 {
		w.write(bit(slices.Contains(used[16*i:16*i+16], true)), 1)
	}
	for i := range 256 {
		if slices.Contains(used[i/16*16:i/16*16+16], true) {
			w.write(bit(used[i]), 1)
		}
		if used[i] {
			order = append(order, byte(i))
		}
	}
	symbols := moved(last, slices.Clone(order))
	alphabet := len(order) + 2
	symbols = append(symbols, alphabet-1)
	selectors := (len(symbols) + 49) / 50
	w.write(2, 3)
	w.write(uint64(selectors), 15)
	for range selectors {
		w.write(0, 1)
	}
	// A complete code: the first symbols have one bit less than the others.
	long := bits.Len(uint(alphabet - 1))
	short := 1<<long - alphabet
	length := func(s int) int {
		if s < short {
			return long - 1
		}
		return long
	}
	for range 2 {
		now := length(0)
		w.write(uint64(now), 5)
		for s := range alphabet {
			for ; now < length(s); now++ {
				w.write(2, 2)
			}
			w.write(0, 1)
		}
	}
	for _, s := range symbols {
		if s < short {
			w.write(uint64(s), uint(long-1))
		} else {
			w.write(uint64(s+short), uint(long))
		}
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// runs writes four to 259 equal bytes as four and a count.
func runs(text []byte) (out []byte) {
	for i := 0; i < len(text); {
		n := 1
		for n < 259 && i+n < len(text) && text[i+n] == text[i] {
			n++
		}
		for range min(n, 4) {
			out = append(out, text[i])
		}
		if n >= 4 {
			out = append(out, byte(n-4))
		}
		i += n
	}
	return out
}

// moved moves each byte to the front of the order, and writes runs of the first place in bijective binary.
func moved(last, order []byte) (out []int) {
	zeros := 0
	flush := func() {
		for ; zeros > 0; zeros = (zeros - 1) / 2 {
			out = append(out, (zeros-1)%2)
		}
	}
	for _, c := range last {
		at := bytes.IndexByte(order, c)
		if at == 0 {
			zeros++
			continue
		}
		flush()
		out = append(out, at+1)
		copy(order[1:at+1], order[:at])
		order[0] = c
	}
	flush()
	return out
}

func checksum(text []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range text {
		sum ^= uint32(c) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	return ^sum
}
