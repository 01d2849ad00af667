package equip

import (
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// note notes what decides the output of the job besides its input: a run that was interrupted goes
// on only if it is the same. programs are the files that run, by the names that tell them.
func (j *Job) note(programs map[string]string) error {
	f := j.File
	j.Facts = []outdir.Fact{{Name: "app", Value: f.App}, {Name: "params", Value: pairs(f.Params)}}
	key := "app"
	if j.commands() {
		key = "files"
		j.Facts = []outdir.Fact{{Name: "map", Value: f.Map.CPU}, {Name: "combine", Value: f.Combine},
			{Name: "reduce", Value: f.Reduce}, {Name: "key_fields", Value: strconv.Itoa(f.KeyFields)},
			{Name: "partition_fields", Value: strconv.Itoa(f.PartitionFields)},
			{Name: "one_command", Value: strconv.FormatBool(f.OneCommand)},
			{Name: "conf", Value: pairs(f.Conf)}, {Name: "env", Value: pairs(f.Env)}}
	}
	if f.Map.GPU != "" {
		j.Facts = append(j.Facts, outdir.Fact{Name: "map on GPUs", Value: f.Map.GPU})
	}
	for _, in := range f.Inputs {
		if in.Map != "" {
			j.Facts = append(j.Facts, outdir.Fact{Name: "map of " + in.Name, Value: in.Map})
		}
	}
	var later []string
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if j.fed(programs[name]) {
			later = append(later, name)
			continue
		}
		seal, err := seal(programs[name])
		if err != nil {
			return f.Errorf(key, "%s: %v", key, err)
		}
		j.Facts = append(j.Facts, outdir.Fact{Name: name, Value: seal})
	}
	if later != nil {
		j.Later = func() []outdir.Fact {
			return each.Of(later, func(name string) outdir.Fact {
				seal, err := seal(programs[name])
				if err != nil { // then the attempts that need it say so
					seal = "missing"
				}
				return outdir.Fact{Name: name, Value: seal}
			})
		}
	}
	return nil
}

// pairs prints a table on one line.
func pairs(table map[string]string) string {
	list := each.Of(slices.Sorted(maps.Keys(table)), func(key string) string { return key + "=" + table[key] })
	return strings.Join(list, ", ")
}

// seal tells a file, or a directory with all that is in it, from what it is after a change.
func seal(path string) (string, error) {
	size, sum := int64(0), crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // WalkDir would not follow it
	}
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(at)
		if err != nil || !info.Mode().IsRegular() {
			return nil // what cannot be read by everybody alike is no part of a program
		}
		files.Reads(at, info)
		file, err := os.Open(at)
		if err != nil {
			return err
		}
		defer file.Close()
		if below, err := filepath.Rel(path, at); err == nil {
			fmt.Fprintf(sum, "%s\x00", filepath.ToSlash(below))
		}
		n, err := io.Copy(sum, file)
		size += n
		return err
	})
	return fmt.Sprintf("%d bytes of sum %08x", size, sum.Sum32()), err
}
