package scenario

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/spelling"
)

// Vars are what the texts of job files are filled with: dates in braces, such as {day}, and
// variables, as ${NAME}.
//
// Everything in a job file is filled, but for commands, to which dollars and braces may mean
// something: of these only {NAME} is, where there is such a date or --set gives the name. In params,
// conf and env braces and dollars that are no placeholder stay, too; anywhere else they are errors.
type Vars struct {
	AsOf time.Time         // when the run was meant to begin; zero: it is not stated
	Now  time.Time         // when it begins; zero: now
	Set  map[string]string // by --set; they come before those of the environment
	Used map[string]string // those of the environment that were filled in

	asked map[string]bool // what job files wrote in braces, but for dates
}

// SetVar takes NAME=VALUE.
func (v *Vars) SetVar(text string) error {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || !variable.MatchString(name):
		return fmt.Errorf("%q: write NAME=VALUE, with a name of letters, digits and _", text)
	case dates[name] != nil:
		return fmt.Errorf("%q: {%s} follows from the date of the run; --as-of sets that", text, name)
	case value == "":
		return fmt.Errorf("%q: the value is empty", text)
	}
	if old, twice := v.Set[name]; twice && old != value {
		return fmt.Errorf("%s is given twice", name)
	}
	if v.Set == nil {
		v.Set = make(map[string]string)
	}
	v.Set[name] = value
	return nil
}

// Unused is the error of a --set that no text has asked for, of all that were read.
func (v *Vars) Unused() error {
	for _, name := range slices.Sorted(maps.Keys(v.Set)) {
		if !v.asked[name] {
			return fmt.Errorf("--set %s=%s: no job file has ${%s} or {%s}%s", name, v.Set[name], name, name, spelling.Hint(name, slices.Collect(maps.Keys(v.asked))))
		}
	}
	return nil
}

// value is what --set gives a name, which is asked for.
func (v *Vars) value(name string) (value string, is bool) {
	if v.asked == nil {
		v.asked = map[string]bool{}
	}
	if variable.MatchString(name) {
		v.asked[name] = true
	}
	value, is = v.Set[name]
	return value, is
}

// Args are the flags of a command that fills job files alike, in whatever environment.
func (v *Vars) Args() (args []string) {
	if !v.AsOf.IsZero() {
		args = append(args, "--as-of="+v.AsOf.Format(time.RFC3339Nano))
	}
	all := maps.Clone(v.Used)
	if all == nil {
		all = make(map[string]string)
	}
	maps.Copy(all, v.Set)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "--set="+name+"="+all[name])
	}
	return args
}

// Read reads job files, filled.
func (v *Vars) Read(file string, src []byte) ([]*Job, error) { return readJobs(file, src, v) }

// ReadAll reads the jobs of several files, which open reads.
func (v *Vars) ReadAll(files []string, open func(file string) ([]byte, error)) ([]*Job, error) {
	return config.FromFiles(files, open, v.Read)
}

// day is the instant that dates are of.
func (v *Vars) day() time.Time {
	switch {
	case !v.AsOf.IsZero():
		return v.AsOf
	case !v.Now.IsZero():
		return v.Now
	}
	return time.Now()
}

var (
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	date     = regexp.MustCompile(`^([a-z]+)([+-][0-9]{1,5})?(?::(.*))?$`)
	word     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	home     = regexp.MustCompile(`^\$HOME($|[^A-Za-z0-9_])`)
	place    = regexp.MustCompile(`^(output|input|inputs\[[0-9]+\]\.path|files)(\[[0-9]+\])?$`)
	command  = regexp.MustCompile(`^(map|combine|reduce|inputs\[[0-9]+\]\.map)$`)
	free     = regexp.MustCompile(`^(params|conf|env)\.`)
)

// dates are the names of dates: how each is written, and the n-th after that of an instant.
var dates = map[string]func(t time.Time, n int) (time.Time, string){
	"year": func(t time.Time, n int) (time.Time, string) { return midnight(t, t.Year()+n, 1, 1), "%Y" },
	"month": func(t time.Time, n int) (time.Time, string) {
		return midnight(t, t.Year(), int(t.Month())+n, 1), "%Y-%m"
	},
	"week": func(t time.Time, n int) (time.Time, string) {
		monday := t.Day() - (int(t.Weekday())+6)%7
		return midnight(t, t.Year(), int(t.Month()), monday+7*n), "%G-W%V"
	},
	"day":       days(0),
	"yesterday": days(-1),
	"tomorrow":  days(1),
	"hour": func(t time.Time, n int) (time.Time, string) {
		return t.Add(time.Duration(n) * time.Hour), "%Y-%m-%dT%H"
	},
}

func days(more int) func(t time.Time, n int) (time.Time, string) {
	return func(t time.Time, n int) (time.Time, string) {
		return time.Date(t.Year(), t.Month(), t.Day()+n+more, t.Hour(), t.Minute(), t.Second(), 0, t.Location()), "%Y-%m-%d"
	}
}

func midnight(t time.Time, year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, t.Location())
}

// date writes what stands in braces, if it is a date.
func (v *Vars) date(text string) (written string, is bool, err error) {
	m := date.FindStringSubmatch(text)
	if m == nil || dates[m[1]] == nil {
		return "", false, nil
	}
	n, _ := strconv.Atoi(m[2]) // 0 if there is none
	t, format := dates[m[1]](v.day().Local(), n)
	if strings.Contains(text, ":") {
		if format = m[3]; format == "" {
			return "", true, fmt.Errorf("{%s}: nothing stands behind the colon; write a date as strftime does, such as {%s:%%Y%%m%%d}, or leave the colon out", text, strings.TrimSuffix(text, ":"))
		}
	}
	written, err = strftime(t, format)
	return written, true, err
}

// strftime writes a time as the C function of this name does, by the part of its letters that name dates.
func strftime(t time.Time, format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		year, week := t.ISOWeek()
		letter := ""
		if i++; i < len(format) {
			letter = format[i : i+1]
		}
		switch letter {
		case "Y":
			fmt.Fprintf(&b, "%04d", t.Year())
		case "y":
			fmt.Fprintf(&b, "%02d", t.Year()%100)
		case "j":
			fmt.Fprintf(&b, "%03d", t.YearDay())
		case "G":
			fmt.Fprintf(&b, "%04d", year)
		case "V":
			fmt.Fprintf(&b, "%02d", week)
		case "u":
			fmt.Fprintf(&b, "%d", (int(t.Weekday())+6)%7+1)
		case "s":
			fmt.Fprintf(&b, "%d", t.Unix())
		case "%":
			b.WriteByte('%')
		default:
			layout := map[string]string{"m": "01", "d": "02", "H": "15", "M": "04", "S": "05", "b": "Jan", "a": "Mon", "z": "-0700", "F": "2006-01-02", "T": "15:04:05"}[letter]
			if layout == "" {
				return "", fmt.Errorf("{…:%s}: there is no %%%s; there are %%Y %%m %%d %%H %%M %%S %%F %%T %%y %%j %%G %%V %%u %%a %%b %%z %%s", format, letter)
			}
			b.WriteString(t.Format(layout))
		}
	}
	return b.String(), nil
}

// variable finds the value of ${NAME}.
func (v *Vars) variable(name string) (string, error) {
	if value, ok := v.value(name); ok {
		return value, nil
	}
	value, ok := os.LookupEnv(name)
	if home, err := os.UserHomeDir(); name == "HOME" && err == nil {
		return home, nil // of whoever runs it, and no part of a command line
	}
	switch {
	case dates[name] != nil && !ok:
		return "", fmt.Errorf("${%s}: there is no such variable; the date is {%s}, without a dollar", name, name)
	case !ok:
		return "", fmt.Errorf("${%s}: there is no such variable; set it in the environment, or by --set %s=VALUE", name, name)
	case value == "":
		return "", fmt.Errorf("${%s}: the variable is empty; set it in the environment, or by --set %s=VALUE", name, name)
	default:
		if v.Used == nil {
			v.Used = make(map[string]string)
		}
		v.Used[name] = value
		return value, nil
	}
}

// final refuses a value in which something would have to be filled in its turn: it would name a folder {day} or $DAY.
func final(name, value string) error {
	i := strings.IndexAny(value, "{}$")
	if strings.Count(value, "`") > 1 {
		i = max(i, strings.IndexByte(value, '`'))
	}
	if i >= 0 && name != "HOME" {
		return fmt.Errorf("${%s} is %q, which is taken as it is: write no %q in it; dates stand in job files", name, value, value[i:i+1])
	}
	return nil
}

// names are those in braces that have a meaning.
func (v *Vars) names() (list []string) {
	for name := range dates {
		list = append(list, name)
	}
	for name := range v.Set {
		list = append(list, name)
	}
	return list
}

// braced writes what {TEXT} stands for, if it has a meaning.
func (v *Vars) braced(text string) (written string, is bool, err error) {
	if written, is, err = v.date(text); is {
		return written, is, err
	}
	written, is = v.value(text)
	return written, is, nil
}

// placeholder is what may be a date or the name of a variable.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// undated is a text in which all is filled but for dates, "" if it has none: of report-{day} it is
// that.
func (v *Vars) undated(text string) string {
	var b strings.Builder
	at, some := 0, false
	piece := func(to int) {
		filled, _ := v.fill("name", text[at:to]) // what is wrong with it is told where it is filled
		b.WriteString(filled)
	}
	for _, p := range placeholder.FindAllStringIndex(text, -1) {
		if _, is, _ := v.date(text[p[0]+1 : p[1]-1]); is {
			piece(p[0])
			b.WriteString(text[p[0]:p[1]])
			at, some = p[1], true
		}
	}
	if !some {
		return ""
	}
	piece(len(text))
	return b.String()
}

// fill makes of a value of a job file what it stands for.
func (v *Vars) fill(path, text string) (string, error) {
	dollars, strict := !command.MatchString(path), !command.MatchString(path) && !free.MatchString(path)
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		end := strings.IndexByte(rest, '}')
		switch {
		case strings.HasPrefix(rest, "{{") && end > 0:
			inner, whole := rest[2:end], strings.HasPrefix(rest[end:], "}}")
			if _, is, _ := v.braced(inner); whole && (is || strict) {
				b.WriteString("{" + inner + "}")
				i += end + 2
				continue
			}
			if strict {
				return "", fmt.Errorf("%q: {{ without }} behind it", text)
			}
			b.WriteString("{{")
			i += 2
		case dollars && strings.HasPrefix(rest, "$$") && (strict || strings.HasPrefix(rest, "$${")):
			b.WriteByte('$')
			if i += 2; !strict {
				b.WriteByte('{')
				i++
			}
		case dollars && strings.HasPrefix(rest, "${") && end > 0 && variable.MatchString(rest[2:end]):
			name := rest[2:end]
			value, err := v.variable(name)
			if err == nil && strict {
				err = final(name, value)
			}
			if err != nil {
				return "", err
			}
			b.WriteString(value)
			i += end + 1
		case strict && rest[0] == '$' && word.MatchString(rest[1:]) && !(i == 0 && home.MatchString(rest)):
			name := word.FindString(rest[1:])
			return "", fmt.Errorf("%q: write ${%s} for the variable, or $$%s for a dollar", text, name, name)
		case strict && rest[0] == '$' && !(i == 0 && home.MatchString(rest)):
			return "", fmt.Errorf("%q: write ${NAME} for a variable, with a name of letters, digits and _, or $$ for a dollar", text)
		case strict && rest[0] == '`' && strings.Count(text, "`") > 1 && place.MatchString(path):
			return "", fmt.Errorf("%q: what stands between backticks is a command in a shell, and not here; a date is {day}, and a variable is ${NAME}", text)
		case rest[0] == '{' && end > 0:
			written, is, err := v.braced(rest[1:end])
			if _, set := v.Set[rest[1:end]]; set && strict {
				err = final(rest[1:end], written)
			}
			switch {
			case is && err == nil:
				b.WriteString(written)
			case is:
				return "", err
			case strict:
				return "", v.unknown(rest[1:end])
			default:
				b.WriteByte('{')
				i++
				continue
			}
			i += end + 1
		case strict && (rest[0] == '{' || rest[0] == '}'):
			return "", fmt.Errorf("%q: a single brace; write {{NAME}} for a name in braces", text)
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String(), nil
}

// unknown says that {TEXT} has no meaning.
func (v *Vars) unknown(text string) error {
	if list := strings.Split(text, ","); len(list) > 1 {
		return fmt.Errorf("{%s}: braces are no alternatives here; write a list of paths", text)
	}
	if _, set := os.LookupEnv(text); set && variable.MatchString(text) {
		return fmt.Errorf("{%s}: there is no such date; the variable is ${%s}", text, text)
	}
	if near := spelling.Meant(text, v.names()); near != "" {
		return fmt.Errorf("{%s}: there is no such date%s", text, near)
	}
	return fmt.Errorf("{%s}: there is no such date; there are {day}, {yesterday}, {tomorrow}, {hour}, {week}, {month} and {year}, as in {day-7:%%Y%%m%%d}; --set NAME=VALUE sets {NAME}, and {{%s}} stands for the braces", text, text)
}
