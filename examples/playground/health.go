package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// healthTimeout is the time limit of a health check.
const healthTimeout = 2 * time.Second

// health runs "playground health [URL]". It returns nil if the playground at URL serves
// its tools. Containers use it as their health check, since the image has no curl.
func health(ctx context.Context, args []string, stdout io.Writer) error {
	base := "http://127.0.0.1:8282"
	switch len(args) {
	case 0:
	case 1:
		base = args[0]
	default:
		return errors.New("health: give one URL at most, such as http://127.0.0.1:8282")
	}
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return fmt.Errorf("health: %q is not the URL of a playground, such as http://127.0.0.1:8282", base)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.JoinPath("readyz").String(), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status + ": " + strings.TrimSpace(string(text)))
	}
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	fmt.Fprintln(stdout, strings.TrimSpace(string(text)))
	return nil
}
