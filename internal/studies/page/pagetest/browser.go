// Package pagetest looks at pages in a real browser, for tests.
package pagetest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Browser is a headless Chromium, spoken to over a pair of pipes (--remote-debugging-pipe), so that
// no port is opened.
type Browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	id      int
	session string
	events  []event

	watchdog *time.Timer // ends a browser that does not answer
}

type event struct {
	Method string
	Params json.RawMessage
}

// findBrowser returns the path of a Chromium, "" if there is none.
func findBrowser() string {
	if path := os.Getenv("SLACKLINE_BROWSER"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// New starts a Chromium for the length of a test. Without one the test is skipped, which .ci/run
// reports at its end.
func New(t *testing.T) *Browser {
	t.Helper()
	path := findBrowser()
	if path == "" || runtime.GOOS == "windows" {
		t.Skip("NOT CHECKED: whether a browser draws the page. Chromium is not installed; install one (Debian: apt-get install chromium) or name it by SLACKLINE_BROWSER")
	}
	toRead, fromUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	toUs, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+home,
		"--remote-debugging-pipe", "--force-device-scale-factor=1", "--hide-scrollbars", "about:blank")
	cmd.ExtraFiles = []*os.File{toRead, toWrite} // descriptors 3 and 4
	cmd.Env = append(os.Environ(), "HOME="+home)
	var noise bytes.Buffer
	cmd.Stderr = &noise
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toRead.Close()
	toWrite.Close()
	b := &Browser{t: t, in: fromUs, out: bufio.NewReaderSize(toUs, 1<<20)}
	b.watchdog = time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		b.session = ""
		_, _ = b.try("Browser.close", nil)
		fromUs.Close()
		_ = cmd.Wait()
		b.watchdog.Stop()
		toUs.Close()
		if t.Failed() {
			t.Logf("%s printed:\n%s", path, &noise)
		}
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.Call("Target.getTargets", nil, &targets)
	target := ""
	for _, info := range targets.TargetInfos {
		if info.Type == "page" {
			target = info.TargetID
		}
	}
	var attached struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
	b.Call("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}, nil)
	return b
}

// patience is how long an answer of a browser is waited for.
const patience = 2 * time.Minute

// try sends a command and waits for its answer; events that come meanwhile are kept.
func (b *Browser) try(method string, params any) (json.RawMessage, error) {
	b.id++
	b.watchdog.Reset(patience)
	defer b.watchdog.Stop() // what a test does meanwhile may take longer
	message := map[string]any{"id": b.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		return nil, err
	}
	for {
		m, err := b.read()
		switch {
		case err != nil:
			return nil, err
		case m.ID == b.id && m.Error != nil:
			return nil, errors.New(string(m.Error))
		case m.ID == b.id:
			return m.Result, nil
		}
	}
}

type message struct {
	ID            int
	Result, Error json.RawMessage
	event
}

func (b *Browser) read() (m message, err error) {
	text, err := b.out.ReadBytes(0)
	if err != nil {
		return m, fmt.Errorf("the browser has ended: %w", err)
	}
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		return m, err
	}
	if m.Method != "" {
		b.events = append(b.events, m.event)
	}
	return m, nil
}

// Call sends a command of the protocol and reads its answer, if result is not nil.
func (b *Browser) Call(method string, params, result any) {
	b.t.Helper()
	answer, err := b.try(method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// Eval evaluates an expression in the page; a promise is waited for.
func (b *Browser) Eval(expression string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	if result == nil || answer.Result.Value == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		b.t.Fatalf("%s is %s: %v", expression, answer.Result.Value, err)
	}
}

// Open opens a file and waits until the page has drawn all of itself: one with scripts says so by data-ready.
func (b *Browser) Open(file string) {
	b.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		b.t.Fatal(err)
	}
	b.events = nil
	b.Call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var ready bool
		b.Eval("location.protocol === 'file:' && document.readyState === 'complete' && (document.scripts.length === 0 || 'ready' in document.documentElement.dataset)", &ready)
		if ready {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("the page never said that it is ready; events: %s", b.story())
		}
	}
}

// Look sets the size of the window and whether it is dark.
func (b *Browser) Look(width, height int, scheme string) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.Eval("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))", nil)
}

// Picture takes a screenshot of all of the page, and keeps it in the folder $SLACKLINE_PICTURES if there is one.
func (b *Browser) Picture(name string) image.Image {
	b.t.Helper()
	var shot struct{ Data string }
	b.Call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot)
	raw, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if dir := os.Getenv("SLACKLINE_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o666); err != nil {
			b.t.Error(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		b.t.Fatal(err)
	}
	return img
}

// story is what the page asked for and complained of.
func (b *Browser) story() string {
	var s strings.Builder
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Network.requestWillBeSent", "Page.javascriptDialogOpening":
			fmt.Fprintf(&s, "%s %.600s\n", e.Method, e.Params)
		}
	}
	return s.String()
}

// Quiet fails the test if the page asked for anything but itself, complained, or opened a dialog.
func (b *Browser) Quiet() {
	b.t.Helper()
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening":
			if bytes.Contains(e.Params, []byte(`"source":"rendering"`)) {
				continue // advice on how these tests look at the canvas
			}
			b.t.Errorf("%s: %.1000s", e.Method, e.Params)
		case "Network.requestWillBeSent":
			var p struct {
				Request struct{ URL string }
			}
			if err := json.Unmarshal(e.Params, &p); err != nil {
				b.t.Fatal(err)
			}
			if !strings.HasPrefix(p.Request.URL, "file:///") && !strings.HasPrefix(p.Request.URL, "data:,") {
				b.t.Errorf("the page asks for %s", p.Request.URL)
			}
		}
	}
}

// Colours counts the different Colours of a picture.
func Colours(img image.Image) int {
	seen, area := map[color.Color]bool{}, img.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			seen[img.At(x, y)] = true
		}
	}
	return len(seen)
}
