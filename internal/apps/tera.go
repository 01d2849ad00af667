package apps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/slackline/slackline/mapreduce"
)

// The records of the sort benchmark: 100 bytes, of which the first 10 are the key.
var teraRecords = mapreduce.Records{Length: 100, Key: 10}

var terasort = App{
	Name: "terasort",
	Doc: "sorts records of 100 bytes by their first 10; the parts in order are sorted as a whole, cut at keys from a sample of " +
		"the input",
	Output: "record of 100 bytes",
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper:  func(*mapreduce.Context) (mapreduce.Mapper, error) { return passRecords{}, nil },
			TotalOrder: true, Records: teraRecords, Raw: true,
		}
	},
}

// passRecords lets records pass as they are.
type passRecords struct{ mapreduce.Identity }

// MapBlock emits the records of a block.
func (passRecords) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	for ; len(block) > 0; block = block[teraRecords.Length:] {
		if err := out.Emit(block[:teraRecords.Key], block[teraRecords.Key:teraRecords.Length]); err != nil {
			return err
		}
	}
	return nil
}

// teragen has the shape of Hadoop's example, where no input is read. A job here reads something, so
// a line of input asks for a range of rows: "0 1000000" for the first million.
var teragen = App{
	Name: "teragen",
	Doc: "makes records to be sorted: for each line \"FIRST COUNT\" of the input so many rows from that number on; run it with " +
		"reduces: 0, as reduces sort by key. A row depends on its number alone",
	Output:  "record of 100 bytes: key of 10 printable bytes, row number in hex, filling, CR LF",
	MapOnly: true,
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return &rows{}, nil },
			Raw:       true,
		}
	},
}

type rows struct{ record [100]byte }

// Map makes the rows of a range.
func (r *rows) Map(_, line []byte, out mapreduce.Emitter) error {
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		return nil
	}
	if len(fields) != 2 {
		return fmt.Errorf("%q is not a range of rows; write the first row and their number, such as 0 1000000", line)
	}
	first, err1 := strconv.ParseInt(string(fields[0]), 10, 64)
	count, err2 := strconv.ParseInt(string(fields[1]), 10, 64)
	if err1 != nil || err2 != nil || first < 0 || count < 0 || first+count < first {
		return fmt.Errorf("%q is not a range of rows; write the first row and their number, such as 0 1000000", line)
	}
	for row := first; row < first+count; row++ {
		writeRow(&r.record, row)
		if err := out.Emit(r.record[:10], r.record[10:]); err != nil {
			return err
		}
	}
	return nil
}

// writeRow writes a row in the layout of gensort -a: 10 printable bytes of key, two blanks, 32 hex
// digits of the row's number, two blanks, 52 letters, CR LF. The keys are ours: SplitMix64 of the
// number, seven bits for a byte, spread evenly over 95 bytes.
func writeRow(to *[100]byte, row int64) {
	bits := mix(2 * uint64(row))
	for i := range 10 {
		if i == 5 {
			bits = mix(2*uint64(row) + 1)
		}
		to[i] = ' ' + byte((bits&0xfff)*95>>12)
		bits >>= 12
	}
	const hex = "0123456789ABCDEF"
	copy(to[10:], "  00000000000000000000000000000000  ")
	for i := range 16 {
		to[43-i] = hex[row>>(4*i)&15]
	}
	for i := range 52 {
		to[46+i] = 'A' + byte((uint64(row)+uint64(i)/4)%26)
	}
	to[98], to[99] = '\r', '\n'
}

// mix is the output function of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014).
func mix(n uint64) uint64 {
	z := (n + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// teravalidate is Hadoop's example in one job: maps send a summary of each block, under the file's
// name and the block's place, and a single reduce joins them in that order, which is the order of
// parts. As Hadoop's it succeeds whatever it finds, since its output, which tells the places, would
// go with a job that fails.
var teravalidate = App{
	Name: "teravalidate",
	Doc: "checks that records are sorted, within each part and from each part to the next; run it with reduces: 1 on the output of " +
		"terasort. The job succeeds whatever it finds: records that are not sorted are in its output as misordered, and the counter " +
		"\"misordered places\" is their number",
	Output: "misordered TAB key and position, for the first one of each block; then records TAB count, checksum TAB sum of their CRC-32",
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper:  func(c *mapreduce.Context) (mapreduce.Mapper, error) { return sumUp{c}, nil },
			NewReducer: func(c *mapreduce.Context) (mapreduce.Reducer, error) { return joinSums{c}, nil },
			Records:    teraRecords,
			Group:      func([]byte) int { return 0 },
		}
	},
}

type sumUp struct{ c *mapreduce.Context }

func (sumUp) Map(_, _ []byte, _ mapreduce.Emitter) error { return errors.New("records come in blocks") }

// MapBlock emits the first key of the block, its last, the number of records, the sum of their
// checksums, and what stands behind a greater key.
func (s sumUp) MapBlock(block []byte, offset int64, out mapreduce.Emitter) error {
	last := block[:teraRecords.Key]
	bad, sum := []byte(nil), uint64(0)
	for at := 0; at < len(block); at += teraRecords.Length {
		key := block[at : at+teraRecords.Key]
		if bytes.Compare(last, key) > 0 && bad == nil {
			bad = fmt.Appendf(nil, "%q at byte %d of %s", key, offset+int64(at), s.c.Input().Path)
		}
		last = key
		sum += uint64(crc32.ChecksumIEEE(block[at : at+teraRecords.Length]))
	}
	place := binary.BigEndian.AppendUint64([]byte(s.c.Input().Path+"\x00"), uint64(offset))
	value := append(append([]byte(nil), block[:teraRecords.Key]...), last...)
	value = binary.BigEndian.AppendUint64(value, uint64(len(block)/teraRecords.Length))
	value = binary.BigEndian.AppendUint64(value, sum)
	return out.Emit(place, append(value, bad...))
}

type joinSums struct{ c *mapreduce.Context }

// Reduce gets all summaries in one call.
func (j joinSums) Reduce(_ []byte, sums mapreduce.Values, out mapreduce.Emitter) error {
	var last []byte
	var records, sum uint64
	misordered := func(place []byte) error {
		j.c.Counter("teravalidate", "misordered places").Add(1)
		return out.Emit([]byte("misordered"), place)
	}
	for sums.Next() {
		v := sums.Value()
		first, count := v[:10], v[20:]
		if bytes.Compare(last, first) > 0 {
			path, _, _ := bytes.Cut(sums.(mapreduce.Keys).Key(), []byte{0})
			if err := misordered(fmt.Appendf(nil, "%q where a block of %s begins", first, path)); err != nil {
				return err
			}
		}
		if bad := v[36:]; len(bad) > 0 {
			if err := misordered(bad); err != nil {
				return err
			}
		}
		last = append(last[:0], v[10:20]...)
		records += binary.BigEndian.Uint64(count)
		sum += binary.BigEndian.Uint64(count[8:])
	}
	if err := out.Emit([]byte("records"), strconv.AppendUint(nil, records, 10)); err != nil {
		return err
	}
	return out.Emit([]byte("checksum"), strconv.AppendUint(nil, sum, 16))
}
