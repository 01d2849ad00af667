// Package commandtest makes a test binary the commands that its tests start, so that they need no
// tool that a system may lack, or have of another make.
package commandtest

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// mark is the first argument of a test binary that is to be a command.
const mark = "as-command"

// commands take their arguments.
var commands = map[string]func(args []string) error{"eat": eat, "words": words, "sum": sum, "lines": lines}

// Run makes the process what Line asks for, and does not return then. TestMain calls it first.
func Run() {
	if len(os.Args) < 3 || os.Args[1] != mark {
		return
	}
	if err := commands[os.Args[2]](os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Words starts the test binary as one of these commands:
//
//	eat MEGABYTES       takes so much memory and ends
//	eat MEGABYTES stay  tells its process id then, and stays
//	words               writes each word of its input, TAB, 1
//	sum                 adds up the numbers of each word, sorted by words
//	lines               counts the lines of its input
//	setsid COMMAND...   becomes the command, in a session of its own
func Words(command ...string) []string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{path, mark}, command...)
}

// Line is the same for a shell or a job file.
func Line(command string) string {
	return strings.Join(Words(command), " ")
}

func eat(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	var all [][]byte
	for range n {
		all = append(all, taken(1<<20))
	}
	if len(args) > 1 {
		fmt.Println(os.Getpid())
		time.Sleep(time.Hour)
	}
	runtime.KeepAlive(all)
	return nil
}

// taken is memory that the process has, as each page of it was written to. The race detector would
// take some more for each byte.
//
//go:norace
func taken(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// each calls do for each line of standard input.
func each(do func(line string)) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		do(in.Text())
	}
	return in.Err()
}

func words([]string) error {
	out := bufio.NewWriter(os.Stdout)
	err := each(func(line string) {
		for word := range strings.FieldsSeq(line) {
			fmt.Fprintf(out, "%s\t1\n", word)
		}
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func sum([]string) error {
	out := bufio.NewWriter(os.Stdout)
	last, total, any := "", 0, false
	put := func() {
		if any {
			fmt.Fprintf(out, "%s\t%d\n", last, total)
		}
	}
	err := each(func(line string) {
		word, number, _ := strings.Cut(line, "\t")
		if !any || word != last {
			put()
			last, total, any = word, 0, true
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		total += n
	})
	if err != nil {
		return err
	}
	put()
	return out.Flush()
}

func lines([]string) error {
	n := 0
	err := each(func(string) { n++ })
	fmt.Println(n)
	return err
}
