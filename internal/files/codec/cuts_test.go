package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// rleFrame is a frame of zstd of so many times one byte, without a dictionary and with each way to say how large it is.
func rleFrame(single bool, size int, times int, sum bool) []byte {
	flags := byte(size) << 6
	if single {
		flags |= 0x20
	}
	if sum {
		flags |= 4
	}
	b := binary.LittleEndian.AppendUint32(nil, zstdMagic)
	b = append(b, flags)
	if !single {
		b = append(b, 0x58) // a window of some megabytes
	}
	switch {
	case size == 0 && single:
		b = append(b, byte(2*times))
	case size == 1:
		b = binary.LittleEndian.AppendUint16(b, uint16(2*times-256))
	case size == 2:
		b = binary.LittleEndian.AppendUint32(b, uint32(2*times))
	case size == 3:
		b = binary.LittleEndian.AppendUint64(b, uint64(2*times))
	}
	b = append(b, byte(1<<1|times<<3), byte(times>>5), byte(times>>13), 'x')   // a block of one byte, many times
	b = append(b, byte(1|1<<1|times<<3), byte(times>>5), byte(times>>13), 'x') // the last one
	if sum {
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

// A block of one byte takes one byte of the file, however many it stands for, so that frames end where they end.
func TestFramesOfOneByte(t *testing.T) {
	for _, single := range []bool{false, true} {
		for size := range 4 {
			for _, sum := range []bool{false, true} {
				times := 300
				if single && size == 0 {
					times = 100
				}
				name := fmt.Sprintf("single %v, size %d, sum %v", single, size, sum)
				frame := rleFrame(single, size, times, sum)
				d, err := zstd.NewReader(nil, zstd.IgnoreChecksum(true))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := d.DecodeAll(frame, nil); err != nil || !bytes.Equal(got, bytes.Repeat([]byte{'x'}, 2*times)) {
					t.Fatalf("%s: this is no frame: %d bytes, %v", name, len(got), err)
				}
				d.Close()
				file := bytes.Repeat(frame, 10)
				var want []int64
				for i := 1; i < 10; i++ {
					want = append(want, int64(i*len(frame)))
				}
				if got := zstdCuts(bytes.NewReader(file), int64(len(file)), int64(len(frame))); !slices.Equal(got, want) {
					t.Errorf("%s: cut at %v, want %v", name, got, want)
				}
			}
		}
	}
}

// A boundary at a multiple of the block is taken, else the first one behind it, and one for each multiple at most.
func TestMarker(t *testing.T) {
	for _, c := range []struct {
		boundaries, want []int64
	}{
		{[]int64{0, 10, 20, 30}, []int64{10, 20, 30}},
		{[]int64{0, 9, 11, 19, 20, 21}, []int64{11, 20}},
		{[]int64{0, 35, 36, 39, 40, 41}, []int64{35, 40}},
		{[]int64{0, 5, 9}, nil},
	} {
		m := marker{block: 10, next: 10}
		for _, at := range c.boundaries {
			m.boundary(at)
		}
		if !slices.Equal(m.cuts, c.want) {
			t.Errorf("%v: cut at %v, want %v", c.boundaries, m.cuts, c.want)
		}
	}
}
