package secret

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// KeyFile reads the key of a vault, 32 bytes, from a file that only its owner can
// read, and makes it when there is none, in a folder that only its owner can
// enter. Two programs that begin at the same time get the same key.
func KeyFile(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("secret: key file: %w", err)
	}
	// Written whole beside it and linked: another program sees all of it or none.
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("secret: key file: %w", err)
	}
	defer os.Remove(f.Name())
	fresh := make([]byte, keySize)
	rand.Read(fresh)
	_, err = f.Write(fresh)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return nil, fmt.Errorf("secret: key file: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("secret: key file: %w", err)
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("secret: key file: %w", err)
	}
	if unsafeMode(info.Mode()) {
		return nil, fmt.Errorf("secret: key file %s can be read by others: set its mode to 0600", filepath.Base(path))
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("secret: key file: %w", err)
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("secret: key file %s has %d bytes and not %d: restore it from a copy", filepath.Base(path), len(key), keySize)
	}
	return key, nil
}

// unsafeMode reports whether others may read a file. Windows has no such bits.
func unsafeMode(mode fs.FileMode) bool {
	return runtime.GOOS != "windows" && mode.Perm()&0o077 != 0
}
