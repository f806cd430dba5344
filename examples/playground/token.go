package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/internal/hostguard"
)

// shortestToken is the minimum length of a token in bytes. Tokens generated here have at
// least 128 bits.
const shortestToken = 16

// readToken reads a token from a file with one line. Errors do not quote the content.
func readToken(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	switch {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", name)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // on Windows the mode is not meaningful
		return "", fmt.Errorf("others than its owner can use %s (mode %#o): chmod 600 it", name, info.Mode().Perm())
	}
	const most = 4096 // the maximum size of the file in bytes
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	switch {
	case len(data) > most || strings.ContainsAny(token, "\r\n"):
		return "", fmt.Errorf("%s holds more than a token in one line", name)
	case len(token) < shortestToken:
		return "", fmt.Errorf("%s holds %d characters: write a token of at least %d into it", name, len(token), shortestToken)
	}
	return token, nil
}

// resolvePublic rejects a public URL that would allow access from other machines without
// a token or without TLS.
func (c *options) resolvePublic() error {
	if c.Page.PublicURL == "" {
		return nil
	}
	origin, err := server.CheckPublicURL(c.Page.PublicURL)
	if err != nil {
		return fmt.Errorf("-public-url: %w", err)
	}
	c.Page.PublicURL = origin
	scheme, host, _ := strings.Cut(origin, "://")
	switch {
	case hostguard.IsLoopbackName(host):
		return nil
	case c.Page.Token == "":
		return errors.New("-public-url: other machines reach the server by it: give a -token or -token-file")
	case scheme == "http" && !c.Page.Insecure:
		return errors.New("-public-url: others could read the token on its way: let the proxy serve https, or give -insecure")
	}
	return nil
}
