package cloud

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Hook is a provider by a command. For each call the command runs once: it reads one JSON object,
//
//	{"do":"rent","token":"…","class":"…","most":0.10}    {"do":"give-back","token":"…"}    {"do":"list"}
//
// and prints one, {"nodes":[{"token":"…","up":true}, …]} for list and {} otherwise. An exit code other than 0
// refuses, and the last line on standard error says why.
type Hook struct {
	Argv    []string
	Timeout time.Duration // of a call
}

const (
	mostPrinted = 4 << 20         // bytes that are read of what it prints
	lingers     = 2 * time.Second // after its end, for whoever keeps its output open
)

// request is what a hook reads.
type request struct {
	Do    string   `json:"do"`
	Token string   `json:"token,omitempty"`
	Class string   `json:"class,omitempty"`
	Most  *float64 `json:"most,omitempty"` // nil = whatever it costs
}

// Rent implements Provider.
func (h *Hook) Rent(ctx context.Context, token, class string, most float64) error {
	return h.call(ctx, request{"rent", token, class, &most}, &struct{}{})
}

// GiveBack implements Provider.
func (h *Hook) GiveBack(ctx context.Context, token string) error {
	return h.call(ctx, request{Do: "give-back", Token: token}, &struct{}{})
}

// There implements Provider.
func (h *Hook) There(ctx context.Context) ([]Node, error) {
	var list struct {
		Nodes *[]Node `json:"nodes"`
	}
	err := h.call(ctx, request{Do: "list"}, &list)
	switch {
	case err != nil:
		return nil, err
	case list.Nodes == nil || slices.ContainsFunc(*list.Nodes, func(n Node) bool { return n.Token == "" }):
		return nil, h.errorf(`list: its answer must be {"nodes":[{"token":"…","up":true}, …]}, each with the token that it was rented by`)
	}
	return *list.Nodes, nil
}

// call runs the command, and reads its answer.
func (h *Hook) call(ctx context.Context, r request, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var out, said bounded
	cmd := exec.CommandContext(ctx, h.Argv[0], h.Argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(append(text, '\n')), &out, &said, lingers
	err = cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return h.errorf("%s: no answer within %v", r.Do, h.Timeout)
	case errors.Is(err, exec.ErrWaitDelay):
		return h.errorf("%s: what it started keeps its output open; send that elsewhere, as by >/dev/null 2>&1 &", r.Do)
	case ended && exit.ExitCode() < 0:
		return h.errorf("%s: it was ended by %v", r.Do, exit)
	case ended:
		lines := strings.Split(strings.TrimSpace(string(said.kept)), "\n")
		return h.errorf("%s: exit code %d: %s", r.Do, exit.ExitCode(), cmp.Or(short(lines[len(lines)-1]), "it does not say why"))
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound):
		return h.errorf("%s: there is no such program", r.Do)
	case err != nil:
		return h.errorf("%s: %v", r.Do, err)
	}
	d := json.NewDecoder(bytes.NewReader(out.kept))
	if err := d.Decode(answer); err != nil || d.More() {
		return h.errorf("%s: it printed %s, which is not one JSON object", r.Do, quoted(string(out.kept)))
	}
	return nil
}

// Answer is the other side: it has a provider do what one call reads, and prints the answer.
func Answer(ctx context.Context, p Provider, in io.Reader, out io.Writer) error {
	var r request
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("standard input has no JSON object: %w", err)
	}
	var answer struct {
		Nodes *[]Node `json:"nodes,omitempty"`
	}
	var err error
	switch {
	case r.Do == "list":
		var list []Node
		list, err = p.There(ctx)
		list = append([]Node{}, list...) // none is an answer, too
		answer.Nodes = &list
	case r.Do == "rent" && r.Token != "":
		most := math.Inf(1)
		if r.Most != nil {
			most = *r.Most
		}
		err = p.Rent(ctx, r.Token, r.Class, most)
	case r.Do == "give-back" && r.Token != "":
		err = p.GiveBack(ctx, r.Token)
	default:
		err = fmt.Errorf("it is asked to do %q with the token %q; it knows rent and give-back, each with a token, and list", r.Do, r.Token)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

func (h *Hook) errorf(format string, args ...any) error {
	return fmt.Errorf("hook %s: "+format, append([]any{h.Argv[0]}, args...)...)
}

// bounded keeps the beginning of what is written.
type bounded struct{ kept []byte }

func (b *bounded) Write(text []byte) (int, error) {
	b.kept = append(b.kept, text[:min(len(text), mostPrinted-len(b.kept))]...)
	return len(text), nil
}

// short is a text for a message.
func short(text string) string {
	const most = 200
	if r := []rune(strings.TrimSpace(text)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return strings.TrimSpace(text)
}

func quoted(text string) string {
	if text = short(text); text == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", text)
}
