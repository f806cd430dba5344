package server

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// pendingDir is where a change of the whole home waits for the next start, and
	// beforeDir what a backup replaced. No collection begins with an underscore.
	pendingDir = "_pending"
	beforeDir  = "_before"

	backupMark    = "localpass-backup.json" // the first entry of a backup
	backupVersion = 1

	// What a backup may hold; far more than a home of one person has.
	maxBackupFiles = 1_000_000
	maxBackupBytes = 4 << 30

	settingsFile = "localpass.json"
)

// backupHead says what a backup is.
type backupHead struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Program string    `json:"program"`
	At      time.Time `json:"createdAt"`
}

// staysHere names what of a home is neither taken along nor replaced: keys and
// what is sealed with them, what tools wrote, and what belongs to this machine.
func staysHere(name string) bool {
	return slices.Contains([]string{"keys", "approval-keys", secretCollection, "mcp-oauth", "workspace", settingsFile, pendingDir, beforeDir, "_batch"}, name) ||
		strings.HasPrefix(name, ".")
}

// isScratch reports whether a file is only of use to a program that runs.
func isScratch(name string) bool { return strings.HasPrefix(name, ".") }

// writeBackup writes everything of a home that can be taken along.
func writeBackup(w io.Writer, home, program string, now time.Time) error {
	z := zip.NewWriter(w)
	head, err := json.Marshal(backupHead{"localpass-backup", backupVersion, program, now.UTC()})
	if err != nil {
		return err
	}
	entry := func(name string, at time.Time) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at.UTC()})
	}
	to, err := entry(backupMark, now)
	if err == nil {
		_, err = to.Write(head)
	}
	if err != nil {
		return err
	}
	err = filepath.WalkDir(home, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || file == home { // it went away meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(home, file)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		switch {
		case staysHere(top) && e.IsDir():
			return filepath.SkipDir
		case staysHere(top), isScratch(e.Name()), !e.Type().IsRegular():
			return nil
		}
		return copyInto(entry, file, filepath.ToSlash(rel))
	})
	if err != nil {
		return err
	}
	return z.Close()
}

func copyInto(entry func(string, time.Time) (io.Writer, error), file, name string) error {
	from, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := entry(name, info.ModTime())
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return err
}

// errBackup says that a file is no backup, and why.
type errBackup struct{ why string }

func (e errBackup) Error() string { return e.why }

func notABackup(format string, args ...any) error { return errBackup{fmt.Sprintf(format, args...)} }

// readBackup hands every file of a backup to each. It trusts none of its names.
func readBackup(file string, each func(name string, r io.Reader) error) (files int, err error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return 0, notABackup("it is no ZIP file")
	}
	defer z.Close()
	if len(z.File) == 0 || z.File[0].Name != backupMark {
		return 0, notABackup("it is no backup of a playground: %s is missing", backupMark)
	}
	if len(z.File) > maxBackupFiles {
		return 0, notABackup("it holds more than %d files", maxBackupFiles)
	}
	left := int64(maxBackupBytes)
	for i, f := range z.File {
		name := f.Name
		top, _, _ := strings.Cut(name, "/")
		switch {
		case i == 0:
		case strings.HasSuffix(name, "/"):
			continue
		case !filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\\x00") || !f.Mode().IsRegular():
			return 0, notABackup("the entry %q is none that a backup has", name)
		case staysHere(top) || isScratch(path.Base(name)):
			return 0, notABackup("the entry %q does not belong into a backup", name)
		}
		if left, err = readEntry(f, i == 0, left, each); err != nil {
			return 0, err
		}
		files++
	}
	return files - 1, nil
}

func readEntry(f *zip.File, mark bool, left int64, each func(string, io.Reader) error) (int64, error) {
	r, err := f.Open()
	if err != nil {
		return 0, notABackup("%q cannot be unpacked", f.Name)
	}
	defer r.Close()
	bounded := &io.LimitedReader{R: r, N: left + 1}
	if mark {
		var head backupHead
		if json.NewDecoder(io.LimitReader(bounded, 1<<16)).Decode(&head) != nil || head.Format != "localpass-backup" {
			return 0, notABackup("%s says nothing that is known", backupMark)
		}
		if head.Version != backupVersion {
			return 0, notABackup("it has the version %d, this program reads %d", head.Version, backupVersion)
		}
		return left, nil
	}
	if err := each(f.Name, bounded); err != nil {
		if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, notABackup("%q is damaged", f.Name)
		}
		return 0, err
	}
	if bounded.N <= 0 {
		return 0, notABackup("it holds more than %d bytes", int64(maxBackupBytes))
	}
	return bounded.N - 1, nil
}

// checkBackup reads all of a backup.
func checkBackup(file string) (files int, err error) {
	return readBackup(file, func(_ string, r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
}
