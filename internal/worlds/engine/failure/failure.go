// Package failure says which errors are worth another attempt.
package failure

import (
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"syscall"

	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/mapreduce"
)

// Kind says what an error means for the task that met it. The zero value is Transient, so an
// error that nobody knows is tried again.
type Kind uint8

// The kinds of failures.
const (
	Transient Kind = iota // another attempt may do better
	Permanent             // every attempt would fail in the same way: bad input, a missing command, no permission
	// the disk is full, or no more files can be opened: what is done is good, and the rest can run
	// when there is room
	NoRoom
	// a disk, or the server that has it, fails or does not answer: another attempt may do better, and
	// where none does, what is done is good, and the rest can run when the disk is back
	NoDisk
)

// noRoom, noDisk and permanent are what the operating system says. A file that is not there is none
// of them: a map can make its output again. Who opens what cannot come back says so by As.
var (
	noRoom    = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE}
	noDisk    = []error{syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.ENXIO, syscall.ENODEV, syscall.ENOTCONN, syscall.EHOSTDOWN}
	permanent = []error{fs.ErrPermission, exec.ErrNotFound, syscall.EFBIG, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG,
		syscall.ELOOP, syscall.ENOEXEC}
)

// Of tells what kind of failure an error is. In an error of several, NoRoom counts most, then
// NoDisk. A program that finds no room or no disk itself speaks of its own files: it fails alone,
// and the run goes on.
func Of(err error) Kind {
	var told *failed
	var bad *mapreduce.BadRecord
	var damage *codec.Damage
	is := func(target error) bool { return errors.Is(err, target) }
	_, alone := errors.AsType[broken](err)
	switch {
	case errors.As(err, &told):
		return told.failure
	case alone && slices.ContainsFunc(slices.Concat(noRoom, noDisk), is):
		return Transient
	case slices.ContainsFunc(noRoom, is):
		return NoRoom
	case slices.ContainsFunc(noDisk, is):
		return NoDisk
	case errors.As(err, &bad), errors.As(err, &damage), slices.ContainsFunc(permanent, is):
		return Permanent
	}
	return Transient
}

// Again tells whether another attempt may do better at once.
func (k Kind) Again() bool { return k == Transient || k == NoDisk }

// As returns the error as one of that kind: where the error itself does not tell, or has lost
// what does on its way from another process.
func As(f Kind, err error) error {
	if err == nil || Of(err) == f {
		return err
	}
	return &failed{err, f}
}

// broken is the error of a program that broke by itself.
type broken interface {
	error
	UserCode()
}

type failed struct {
	error
	failure Kind
}

// Unwrap returns the error without its kind.
func (f *failed) Unwrap() error { return f.error }
