package mapreduce

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Emitter takes the records that user code makes. It copies both slices. An error means that the
// attempt is over (its disk is full, it is being killed); the caller should return it, and what it
// emits nevertheless is dropped.
type Emitter interface {
	Emit(key, value []byte) error
}

// Mapper turns one input record into any number of records. For text the value is the line without
// its end, and the key is its offset in the file, which Offset reads. As in Hadoop a line ends with
// LF, CR LF or CR, and a byte order mark at the start of a file is passed over.
type Mapper interface {
	Map(key, value []byte, out Emitter) error
}

// BlockMapper is implemented by mappers that can work on many lines at once, the way for those that
// look at most bytes only in passing. If a Mapper has it, MapBlock is called in place of Map.
//
// A block holds whole lines, each with a LF, in whichever way it ends in the file, but perhaps the
// last one of a file without; no line is in two blocks. How lines are spread over blocks says nothing:
// what is emitted must depend on the lines only, or on records of a fixed length and their offsets.
// offset is where the block begins in its file. It is not enough for the offsets of lines, as those that
// end with CR LF are longer in the file: whoever needs them has Map alone.
type BlockMapper interface {
	MapBlock(block []byte, offset int64, out Emitter) error
}

// Reducer turns a key with all its values into any number of records. A combiner is a Reducer that
// emits under its own key.
type Reducer interface {
	Reduce(key []byte, values Values, out Emitter) error
}

// Values walks the values of one key. Those that a Reducer leaves are skipped.
type Values interface {
	Next() bool    // moves to the next value, the first at the start
	Value() []byte // the current one, good until Next
}

// Closer is implemented by mappers and reducers that have something to do after their last record,
// such as emitting what they held back. It is not called when the attempt fails. A combiner's
// output ends with each of its calls: its Close must not emit.
type Closer interface {
	Close(out Emitter) error
}

// Partitioner chooses the reduce task, from 0 to parts-1, of a key. It must depend on its arguments only.
type Partitioner func(key []byte, parts int) int

// Keys is implemented by the Values that an engine hands to a Reducer. Where Program.Group lets
// several keys into one group, Key is the whole key of the current value, good until Next.
type Keys interface{ Key() []byte }

// Program is what a job runs. The constructors are called once for each attempt of a task, so what
// they make belongs to one goroutine; they are the place to set up, and an error fails the attempt.
type Program struct {
	Name        string                          // of the application, for messages
	NewMapper   func(*Context) (Mapper, error)  // nil = records pass as they are
	NewCombiner func(*Context) (Reducer, error) // nil = none
	// nil = what combines, by NewCombiner or Fold; without either records pass as they are
	NewReducer func(*Context) (Reducer, error)
	Partition  Partitioner                    // nil = Hash
	MapOnly    func(*Context) (Mapper, error) // in place of NewMapper where a job has no reduces; nil = NewMapper
	Fold       *Fold                          // a faster combiner, in place of NewCombiner; nil = none

	// Group returns how many bytes at the start of a key make its group. Keys are sorted whole, but
	// a reduce task sees the values of a group in one call, with those first bytes as the key, and
	// the partitioner gets them too: a secondary sort by the bytes behind them. nil = a key is its
	// group.
	Group func(key []byte) int

	// TotalOrder lets all keys of a part stand before all keys of the next, so that the parts one
	// behind the other are sorted as a whole. The cuts are chosen by running the mapper on a sample
	// of the input before the first map. Partition has to be nil.
	TotalOrder bool

	Records Records // how input is cut into records; the zero value means lines of text
	Raw     bool    // output is key and value one behind the other, without TAB and LF

	Input  InputFormat  // what records are; nil = lines of text, or Records. A job file may choose another
	Output OutputFormat // how output is written; nil = text, or Raw. A job file may choose another
}

// Records describes input of records that all have one length, without anything between them: a
// mapper gets the first Key bytes as the key and the others as the value, and a BlockMapper gets
// whole records.
type Records struct{ Length, Key int }

// Check says in one sentence what of a program contradicts itself.
func (p *Program) Check() error {
	switch {
	case p.Fold != nil && p.NewCombiner != nil:
		return fmt.Errorf("application %s: it has both a combiner and a fold", p.Name)
	case p.TotalOrder && p.Partition != nil:
		return fmt.Errorf("application %s: it has both a partitioner and a total order", p.Name)
	case p.Records.Length < 0 || p.Records.Key < 0 || p.Records.Key > p.Records.Length:
		return fmt.Errorf("application %s: records of %d bytes cannot have keys of %d", p.Name, p.Records.Length, p.Records.Key)
	case p.Records.Length > 0 && p.Input != nil:
		return fmt.Errorf("application %s: it has both records of a fixed length and a format of its input", p.Name)
	case p.Raw && p.Output != nil:
		return fmt.Errorf("application %s: it has both raw output and a format of its output", p.Name)
	}
	if f, ok := p.Input.(CSV); ok {
		if err := f.Check(); err != nil {
			return fmt.Errorf("application %s: %w", p.Name, err)
		}
	}
	return nil
}

// Mapper is the constructor of mappers, which may be nil, for jobs with or without reduces.
func (p *Program) Mapper(reduces bool) func(*Context) (Mapper, error) {
	if !reduces && p.MapOnly != nil {
		return p.MapOnly
	}
	return p.NewMapper
}

// Reducer is the constructor of reducers; nil = records pass as they are. A program that says how
// values are combined, and has no reducer of its own, reduces in the same way: how far maps have
// combined depends on the size of blocks and buffers, and no result may.
func (p *Program) Reducer() func(*Context) (Reducer, error) {
	if p.NewReducer != nil {
		return p.NewReducer
	}
	return p.Combiner()
}

// Combiner is the constructor of combiners, a fold's among them; nil = none.
func (p *Program) Combiner() func(*Context) (Reducer, error) {
	if p.Fold != nil {
		return p.Fold.Reducer
	}
	return p.NewCombiner
}

// NeedsReduces tells whether a job that runs the program must have reduces.
func (p *Program) NeedsReduces() bool { return p.Reducer() != nil && p.MapOnly == nil }

// Hash is the default partitioner: xxHash of the key modulo the number of parts, the same on every machine.
func Hash(key []byte, parts int) int {
	return int(xxhash.Sum64(key) % uint64(parts))
}

// OffsetKey writes the key of a line that starts at the offset into an array, and returns it as a slice.
func OffsetKey(buf *[8]byte, offset int64) []byte {
	binary.BigEndian.PutUint64(buf[:], uint64(offset))
	return buf[:]
}

// Offset reads the key that a Mapper is given for a line of text: where the line starts in its file.
func Offset(key []byte) int64 {
	if len(key) != 8 {
		return -1
	}
	return int64(binary.BigEndian.Uint64(key))
}

// Identity is the Mapper and the Reducer that lets records pass as they are.
type Identity struct{}

// Map emits the record.
func (Identity) Map(key, value []byte, out Emitter) error { return out.Emit(key, value) }

// Reduce emits every value under the key.
func (Identity) Reduce(key []byte, values Values, out Emitter) error {
	for values.Next() {
		if err := out.Emit(key, values.Value()); err != nil {
			return err
		}
	}
	return nil
}
