//go:build unix

package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Trusted says why the log in an output directory may be by somebody else than this user, nil if it
// cannot be: whoever runs what stands in it would run a stranger's command. The log, its folder and
// the output directory have to belong to this user or to root, and nobody else may write there or
// to a folder above, unless its sticky bit keeps others from replacing what is in it. Where there
// is no log it is nil.
func Trusted(output string) error {
	path, err := filepath.Abs(output)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	log := at(path).logPath()
	if err == nil {
		_, err = os.Lstat(log)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return trusted(log, path)
}

// TrustedFile says why somebody else than this user may change a file, by itself or by the folder
// that it lies in, nil if nobody can.
func TrustedFile(path string) error {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return err
	}
	return trusted(path, filepath.Dir(path))
}

// trusted says why others can change a file, whose folders up to this one are nobody else's
// business.
func trusted(file, folder string) error {
	for at, below := file, true; ; at = filepath.Dir(at) {
		if err := mine(at, below); err != nil || at == filepath.Dir(at) {
			return err
		}
		below = below && at != folder
	}
}

// mine says why others than this user or root can change what stands at a path. Within an output
// directory nothing may be a link; above it a folder may be open to all if it is sticky.
func mine(path string, within bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode()
	switch {
	case !ok:
		return fmt.Errorf("the owner of %s is not known", path)
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link", path)
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to %s", path, userName(st.Uid))
	case !within && mode&fs.ModeSticky != 0:
		return nil
	case mode&0o002 != 0, mode&0o020 != 0 && !ownGroup(st.Gid):
		return fmt.Errorf("others may write to %s (its mode is %04o; use chmod go-w)", path, mode.Perm())
	}
	return nil
}

func userName(uid uint32) string {
	if u, err := user.LookupId(strconv.Itoa(int(uid))); err == nil {
		return u.Username
	}
	return fmt.Sprintf("user %d", uid)
}

// ownGroup tells whether a group is this user's own, which bears the user's name: where systems
// give each user such a group, files are made for the group to be written.
func ownGroup(gid uint32) bool { return gid != 0 && int64(gid) == privateGroup() }

var privateGroup = sync.OnceValue(func() int64 {
	u, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return -1
	}
	g, err := user.LookupGroupId(u.Gid)
	if err != nil || g.Name != u.Username {
		return -1
	}
	gid, err := strconv.ParseInt(g.Gid, 10, 64)
	if err != nil {
		return -1
	}
	return gid
})
