package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/files"
)

// readFile reads a file that people write.
func readFile(name string) ([]byte, error) {
	defer reading()()
	return files.ReadAll(name)
}

// openText opens a file, or standard input where it is called "-", and says how errors call it.
func openText(cmd *cobra.Command, file string) (in *files.Text, name string, err error) {
	defer reading()()
	if file == "-" {
		in, err = files.Read(files.Stdin, cmd.InOrStdin())
		return in, files.Stdin, err
	}
	name = filepath.ToSlash(file)
	in, err = files.Open(name)
	return in, name, err
}

// overwrite is the flag of all commands that make files.
const overwrite = "overwrite"

// bindFile adds a flag that names a file that the command makes, and the one that lets it replace
// what is there.
func bindFile(f *pflag.FlagSet, to *string, flag, usage string) {
	f.StringVar(to, flag, "", usage)
	if f.Lookup(overwrite) == nil {
		f.Bool(overwrite, false, "replace files that are there already, whoever made them; never what the command reads. Of run also: finished output of Slackline's own")
	}
}

// mayOverwrite tells the writer of files what that flag says.
func mayOverwrite(cmd *cobra.Command) {
	if f := cmd.Flags().Lookup(overwrite); f != nil {
		files.Overwrite(f.Value.String() == "true")
	}
}

// fileOut is a file that a command makes, whole or not at all, or standard output.
type fileOut struct {
	io.Writer
	file *files.File // nil: standard output
	name string
	tell io.Writer // what was written
}

// create begins the file that a flag names; standard output where it names none.
func create(cmd *cobra.Command, flag, name, what string) (*fileOut, error) {
	if name == "" {
		return &fileOut{Writer: cmd.OutOrStdout()}, nil
	}
	file, err := files.Create(name, files.Kind{What: what})
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return &fileOut{file, file, name, cmd.OutOrStdout()}, nil
}

// writeBeside writes a file beside the result, if one is named.
func writeBeside(cmd *cobra.Command, flag, name, holds string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	out, err := create(cmd, flag, name, flag)
	if err != nil {
		return err
	}
	out.tell = cmd.ErrOrStderr() // the result is the table
	return out.finish(write(out), holds)
}

// finish puts the file in its place if all went well, and prints what it holds. Else nothing is left of it.
func (o *fileOut) finish(err error, holds string) error {
	if o.file == nil {
		return err
	}
	defer o.file.Discard()
	if err == nil {
		err = o.file.Commit()
	}
	if err == nil {
		_, err = fmt.Fprintf(o.tell, "%s: %s\n", o.name, holds)
	}
	return err
}
