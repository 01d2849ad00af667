// Package mapreduce is what people who write jobs program against: a Mapper, a Reducer, at times a
// combiner and a partitioner, put together in a Program. It knows nothing of schedulers and
// machines.
//
//	input ─▶ Map ─▶ combine ─▶ partition, sort ─▶ shuffle, merge, group ─▶ Reduce ─▶ part-r-00000 …
//
// The whole of word count:
//
//	type words struct{}
//
//	func (words) Map(_, line []byte, out mapreduce.Emitter) error {
//		for _, w := range bytes.Fields(line) {
//			if err := out.Emit(w, []byte("1")); err != nil {
//				return err
//			}
//		}
//		return nil
//	}
//
//	type sum struct{}
//
//	func (sum) Reduce(word []byte, counts mapreduce.Values, out mapreduce.Emitter) error {
//		total := 0
//		for counts.Next() {
//			n, err := strconv.Atoi(string(counts.Value()))
//			if err != nil {
//				return err
//			}
//			total += n
//		}
//		return out.Emit(word, strconv.AppendInt(nil, int64(total), 10))
//	}
//
//	var program = mapreduce.Program{
//		Name:        "words",
//		NewMapper:   func(*mapreduce.Context) (mapreduce.Mapper, error) { return words{}, nil },
//		NewCombiner: func(*mapreduce.Context) (mapreduce.Reducer, error) { return sum{}, nil },
//		NewReducer:  func(*mapreduce.Context) (mapreduce.Reducer, error) { return sum{}, nil },
//	}
//
// The same in the types of Go, as a program of one's own that a job file names (app: ./bin), is
// [Typed] with Main of package mapreduce/run. As a mapper, combiner or reducer of Hadoop Streaming
// it is [Program.Stream].
//
// # Order
//
// Keys are byte strings in the order of bytes.Compare. A reduce task sees its keys in that order,
// and the values of a key in the order of the map tasks and, within one, in the order in which they
// were emitted. Output is therefore the same at any number of workers. A combiner must not be felt:
// it may be run any number of times on any neighbouring values of a key, so it has to be
// associative, and it emits under the key it was given. Without a reducer of its own a program
// reduces by its combiner or fold.
//
// # Memory
//
// The slices handed to Map, Reduce and by Values are good until the call returns or Next is called.
// Emit copies what it is given, so one buffer can serve for every record.
//
// # Speed
//
// Emit costs some 20 ns for a short key, if what calls it costs no more: bytes.FieldsSeq makes no
// slices where bytes.Fields does, and one variable can hold the value of every record. Where values
// are counts, Fold: Sum, or NewCombiner: Sum.Reducer, keeps a number for each key and nothing else; what other
// combiners combine is sorted first. A mapper that has MapBlock gets many lines in one call.
//
// # Formats
//
// Input is lines of text unless Program.Input is a KeyValue, JSONLines, CSV, WholeFile or an
// InputFormat of one's own, or a job file chooses another; compressed files are unpacked before. An
// InputFormat says where files may be cut and gets whole records; a record that it cannot read is a
// BadRecord, which fails the attempt with file and number, or is passed over where the job allows
// that.
//
// # Text output
//
// A record is written as key TAB value LF, one with a nil value as key LF, one with a nil key as
// value LF. Whether a value is nil or empty survives the shuffle; a nil key comes out of it as an
// empty one.
package mapreduce
