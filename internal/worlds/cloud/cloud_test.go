package cloud_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/cloud/cloudtest"
	"github.com/slackline/slackline/units"
)

func TestProviders(t *testing.T) {
	t.Run("slots", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			cloudtest.Suite(t, cloud.NewSlots(map[string]units.Duration{"m": units.Minute}), "", 2*time.Minute, nil)
		})
	})
	t.Run("cloud", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := cloudtest.New(1, time.Minute, cloudtest.Moods{})
			cloudtest.Suite(t, c, "", 2*time.Minute, c.Cost)
		})
	})
	t.Run("hook", func(t *testing.T) {
		h := script(t, folders)
		cloudtest.Suite(t, h, "gold", 10*time.Second, func(price float64) {
			os.Remove(h.Argv[2] + ".dear")
			if price > 1 {
				if err := os.WriteFile(h.Argv[2]+".dear", nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	})
}

// folders is a cloud whose nodes are files.
const folders = `read -r line
token=$(printf %s "$line" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
case $line in
*'"do":"rent"'*'"class":"gold"'*) echo warming up >&2; echo no gold is left >&2; exit 1 ;;
*'"do":"rent"'*'"most":1}'*) [ -e "$1.dear" ] && echo an hour costs 1.5 now >&2 && exit 1; : >"$1/$token"; echo '{}' ;;
*'"do":"rent"'*) : >"$1/$token"; echo '{}' ;;
*'"do":"give-back"'*) rm -f "$1/$token"; echo '{}' ;;
*) printf '{"nodes":['
	first=
	for f in "$1"/*; do
		[ -e "$f" ] && printf '%s{"token":"%s","up":true}' "$first" "${f##*/}" && first=,
	done
	echo ']}' ;;
esac
`

// script is a hook that is a script with a folder of its own.
func script(t *testing.T, text string) *cloud.Hook {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("NOT CHECKED: there is no sh")
	}
	dir := t.TempDir()
	path, nodes := filepath.Join(dir, "hook.sh"), filepath.Join(dir, "nodes")
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(nodes, 0o755); err != nil {
		t.Fatal(err)
	}
	return &cloud.Hook{Argv: []string{sh, path, nodes}, Timeout: 20 * time.Second}
}

// Whatever a hook does instead of answering is told in one sentence.
func TestHookSentences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"echo Traceback; echo more", `list: it printed "Traceback\nmore", which is not one JSON object`},
		{"true", "list: it printed nothing, which is not one JSON object"},
		{"echo '{}'", `list: its answer must be {"nodes":[{"token":"…","up":true}, …]}, each with the token that it was rented by`},
		{`echo '{"nodes":[{"id":"i-1"}]}'`, "list: its answer must be"},
		{`echo '{"nodes":[]} {}'`, "which is not one JSON object"},
		{"echo first >&2; echo quota is used up >&2; exit 7", "list: exit code 7: quota is used up"},
		{"exit 3", "list: exit code 3: it does not say why"},
		{"kill -9 $$", "list: it was ended by signal: killed"},
		{"exec sleep 60", "list: no answer within 300ms"},
		{`(sleep 60) 2>/dev/null & echo '{"nodes":[]}'; echo $! >&2`, "keeps its output open"},
	} {
		h := script(t, c.text)
		if h.Timeout = 300 * time.Millisecond; !strings.Contains(c.want, "within") {
			h.Timeout = 20 * time.Second
		}
		if _, err := h.There(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	gone := &cloud.Hook{Argv: []string{filepath.Join(t.TempDir(), "none")}, Timeout: time.Second}
	if _, err := gone.There(context.Background()); err == nil || !strings.Contains(err.Error(), "there is no such program") {
		t.Error(err)
	}
}

// world is what a world believes of its nodes.
type world struct {
	lock   sync.Mutex
	wants  map[cluster.NodeID]bool
	serves map[cluster.NodeID]bool
	wrong  []string
	warned []string
}

func (w *world) tell(c cloud.Change) {
	w.lock.Lock()
	defer w.lock.Unlock()
	up := c.Is == cloud.Serves
	if c.Is == cloud.Named {
		w.wrong = append(w.wrong, "a name of a cloud that has none")
		return
	}
	if up && (w.serves[c.Node] || !w.wants[c.Node]) {
		w.wrong = append(w.wrong, fmt.Sprintf("node %d serves, wanted %v, served before %v", c.Node, w.wants[c.Node], w.serves[c.Node]))
	}
	if w.serves[c.Node] = up; !up {
		delete(w.wants, c.Node)
	}
}

// has looks at one of its sets.
func (w *world) has(n cluster.NodeID, set map[cluster.NodeID]bool) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return set[n]
}

func (w *world) warn(text string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.warned = append(w.warned, text)
}

var class = &cluster.Class{Name: "m", Most: 10, WakeTime: units.Minute}

// However unkind a cloud is, what there is becomes what is wanted once it is kind, and nothing is
// left at the end. No node serves that is not wanted.
func TestDesk(t *testing.T) {
	seeds := uint64(150)
	if os.Getenv("SLACKLINE_LONG") != "" {
		seeds = 3000
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			draw := rand.New(rand.NewPCG(seed, 2))
			mood := func(most float64) float64 { return max(0, draw.Float64()-0.5) * most }
			c := cloudtest.New(seed, time.Duration(draw.IntN(90))*time.Second, cloudtest.Moods{Refuses: mood(0.4), Loses: mood(0.4), Late: mood(0.2),
				Hangs: mood(0.1), Partial: mood(0.6), Stillborn: mood(0.6), Twice: mood(0.6), Dies: mood(0.02)})
			w := &world{wants: map[cluster.NodeID]bool{}, serves: map[cluster.NodeID]bool{}}
			d := cloud.Open(c, "run", w.tell, w.warn)
			turn := func() {
				c.Cost(float64(draw.IntN(3)) * 0.6) // a third of the time too dear
				for n := cluster.NodeID(1); n <= 5; n++ {
					w.lock.Lock()
					wanted, serves := w.wants[n], w.serves[n]
					if !wanted && draw.IntN(3) == 0 {
						w.wants[n] = true
						d.Rent(n, class, 1)
					} else if wanted && serves && draw.IntN(4) == 0 {
						d.GiveBack(n)
					}
					w.lock.Unlock()
				}
			}
			for range 20 {
				turn()
				time.Sleep(time.Duration(draw.IntN(120_000)) * time.Millisecond)
			}
			c.Be(cloudtest.Moods{})
			c.Cost(1)
			time.Sleep(20 * time.Minute) // those that do not come, and those that went without a word
			for n := cluster.NodeID(1); n <= 5; n++ {
				w.lock.Lock()
				if !w.wants[n] {
					w.wants[n] = true
					d.Rent(n, class, 1)
				}
				w.lock.Unlock()
			}
			time.Sleep(20 * time.Minute)
			w.lock.Lock()
			serving := 0
			for _, up := range w.serves {
				if up {
					serving++
				}
			}
			if serving != 5 || c.Serve() != 5 || len(w.wrong) > 0 {
				t.Errorf("seed %d: %d of 5 serve, in truth %d, %v; %v", seed, serving, c.Serve(), w.wrong, c.Log())
			}
			w.lock.Unlock()
			d.Close()
			if c.Count() > 0 {
				t.Errorf("seed %d: %d nodes are left; %v", seed, c.Count(), c.Log())
			}
			for _, text := range w.warned {
				if strings.Contains(text, "look for them") {
					t.Errorf("seed %d: %s", seed, text)
				}
			}
		})
	}
}

// A run that goes on gives back what the one before has left, and nobody else's.
func TestLeftovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cloudtest.New(1, time.Second, cloudtest.Moods{})
		for _, token := range []string{"run-x-1", "running-x-1", "other"} {
			if err := c.Rent(t.Context(), token, "m", 1); err != nil {
				t.Fatal(err)
			}
		}
		d := cloud.Open(c, "run", func(cloud.Change) {}, func(text string) { t.Error(text) })
		time.Sleep(time.Minute)
		if c.Count() != 2 || c.Log()[len(c.Log())-1] != "back run-x-1" {
			t.Error(c.Log())
		}
		d.Close()
	})
}

// A node that costs more by now than it was planned with does not come, and the user is told why. It does at that price
// later.
func TestPriceJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cloudtest.New(1, time.Second, cloudtest.Moods{})
		w := &world{wants: map[cluster.NodeID]bool{1: true}, serves: map[cluster.NodeID]bool{}}
		d := cloud.Open(c, "run", w.tell, w.warn)
		c.Cost(0.55)
		d.Rent(1, class, 0.40)
		time.Sleep(time.Minute)
		if w.has(1, w.wants) || c.Count() > 0 || len(w.warned) != 1 || w.warned[0] != "rent a node of class m: an hour costs 0.55 now, more than 0.4" {
			t.Errorf("%d nodes; %q", c.Count(), w.warned)
		}
		w.lock.Lock()
		w.wants[1] = true
		w.lock.Unlock()
		d.Rent(1, class, 0.55)
		if time.Sleep(time.Minute); !w.has(1, w.serves) {
			t.Error("it does not serve at its price")
		}
		d.Close()
	})
}

// A node may be refused twice in a row, and take three times its boot time and a minute: one that takes longer, or is
// refused once more, is given up. It is asked for every five seconds.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		boots, refuses time.Duration
		serves         bool
		says           string
	}{
		{3 * time.Minute, 0, true, ""},
		{5 * time.Minute, 0, false, "a node of class m did not serve within 4m0s of being rented; it is given back"},
		{time.Second, 8 * time.Second, true, "rent a node of class m: try again later"},
		{time.Second, 12 * time.Second, false, "rent a node of class m: try again later"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := cloudtest.New(1, c.boots, cloudtest.Moods{})
			w := &world{wants: map[cluster.NodeID]bool{1: true}, serves: map[cluster.NodeID]bool{}}
			d := cloud.Open(p, "run", w.tell, w.warn)
			time.Sleep(time.Minute) // the first list
			if c.refuses > 0 {
				p.Be(cloudtest.Moods{Refuses: 1})
			}
			d.Rent(1, class, 1)
			time.Sleep(c.refuses)
			p.Be(cloudtest.Moods{})
			time.Sleep(6 * time.Minute)
			if w.has(1, w.serves) != c.serves || !strings.HasPrefix(strings.Join(w.warned, ""), c.says) || c.says == "" && len(w.warned) > 0 {
				t.Errorf("%+v: it serves: %v, %q", c, w.has(1, w.serves), w.warned)
			}
			d.Close()
		})
	}
}

// A call that failed may be obeyed when its node has come by the next one and was given back: it is given back again.
func TestObeyedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cloudtest.New(1, time.Second, cloudtest.Moods{})
		w := &world{wants: map[cluster.NodeID]bool{1: true}, serves: map[cluster.NodeID]bool{}}
		d := cloud.Open(c, "run", w.tell, w.warn)
		time.Sleep(time.Second)
		c.Be(cloudtest.Moods{Late: 1}) // by forty seconds
		d.Rent(1, class, 1)
		time.Sleep(3 * time.Second)
		c.Be(cloudtest.Moods{})
		if time.Sleep(17 * time.Second); !w.has(1, w.serves) {
			t.Error("it does not serve:", c.Log())
		}
		d.GiveBack(1)
		if time.Sleep(10 * time.Minute); c.Count() != 0 || len(c.Log()) != 4 {
			t.Error(c.Log())
		}
		d.Close()
	})
}

// What a cloud rents after it was given up is given back, though nothing else is rented then.
func TestLateRent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cloudtest.New(1, time.Second, cloudtest.Moods{Late: 1})
		w := &world{wants: map[cluster.NodeID]bool{1: true}, serves: map[cluster.NodeID]bool{}}
		d := cloud.Open(c, "run", w.tell, w.warn)
		d.Rent(1, class, 1)
		time.Sleep(20 * time.Second) // it is asked for up to a round more or less, and comes after forty
		if c.Be(cloudtest.Moods{}); w.has(1, w.wants) || len(c.Log()) > 0 {
			t.Error("it was not given up, or came too early:", c.Log())
		}
		time.Sleep(10 * time.Minute)
		if c.Count() != 0 || len(c.Log()) < 2 {
			t.Error(c.Log())
		}
		d.Close()
	})
}

// A node that one list lacks is not gone; one that two lack is, and one that is there and serves no more.
func TestPartialList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cloudtest.New(1, time.Second, cloudtest.Moods{})
		w := &world{wants: map[cluster.NodeID]bool{1: true}, serves: map[cluster.NodeID]bool{}}
		d := cloud.Open(c, "run", w.tell, w.warn)
		d.Rent(1, class, 1)
		time.Sleep(time.Minute)
		c.Be(cloudtest.Moods{Partial: 1})
		for was := c.Lists(); c.Lists() == was; time.Sleep(100 * time.Millisecond) {
		}
		c.Be(cloudtest.Moods{})
		if time.Sleep(time.Minute); !w.has(1, w.serves) {
			t.Error("one list sufficed")
		}
		c.Be(cloudtest.Moods{Partial: 1})
		if time.Sleep(time.Minute); w.has(1, w.serves) {
			t.Error("it still serves")
		}
		c.Be(cloudtest.Moods{})
		w.lock.Lock()
		w.wants[2] = true
		w.lock.Unlock()
		d.Rent(2, class, 1)
		time.Sleep(time.Minute)
		if c.Stall(); !w.has(2, w.serves) {
			t.Error("it does not serve")
		}
		if time.Sleep(time.Minute); w.has(2, w.serves) || c.Count() != 0 {
			t.Error("it stalls, and still serves or is not given back")
		}
		c.Be(cloudtest.Moods{})
		d.Close()
	})
}

// A cloud that never answers again is told, and nobody waits for it for long.
func TestFarewell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cloudtest.New(1, time.Second, cloudtest.Moods{})
		w := &world{wants: map[cluster.NodeID]bool{1: true}, serves: map[cluster.NodeID]bool{}}
		d := cloud.Open(c, "run", w.tell, w.warn)
		d.Rent(1, class, 1)
		time.Sleep(time.Minute)
		c.Be(cloudtest.Moods{Hangs: 1})
		began := time.Now()
		if d.Close(); time.Since(began) > time.Minute || len(w.warned) != 1 || !strings.Contains(w.warned[0], "look for them: run-") {
			t.Errorf("%v: %q", time.Since(began), w.warned)
		}
	})
}
