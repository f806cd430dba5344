package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/localpass/localpass/toolspec/secret"
)

// The environment variables that name model servers.
const (
	openAIKey  = "OPENAI_API_KEY"
	openAIBase = "OPENAI_BASE_URL"
	ollamaHost = "OLLAMA_HOST"
)

const (
	ollamaPort = "11434"
	// ollamaForms is the last part of the errors about OLLAMA_HOST, which do not show its
	// value.
	ollamaForms = "write a host, host:port, or a URL such as " + ollamaURL
)

// environment is the location of model servers according to the environment variables. A
// wrong value is an error only of the profile that uses it.
type environment struct{ base, host string }

func readEnvironment(lookup secret.Lookup) *environment {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	return &environment{base: get(openAIBase), host: get(ollamaHost)}
}

// ollamaAddress converts OLLAMA_HOST to a URL in the same way as Ollama's own client: the
// value is a host, a host and a port, or a URL, also in quotes. An address that means
// "listen on all interfaces" becomes an address of this machine.
func ollamaAddress(text string) (string, error) {
	text = strings.TrimSpace(strings.Trim(text, `"'`))
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	port := ollamaPort
	switch {
	case !ok && text == "ollama.com":
		scheme, rest, port = "https", text, "443"
	case !ok:
		scheme, rest = "http", text
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return "", errors.New("it is a URL of another kind than http and https: " + ollamaForms)
	}
	rest, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, "@?# \t") || strings.ContainsAny(path, "?#") {
		return "", errors.New("it has a user, a query or a space in it: " + ollamaForms)
	}
	host, given, err := net.SplitHostPort(rest)
	if err != nil {
		host = strings.Trim(rest, "[]")
		if strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return "", errors.New("it is neither a host nor host:port: " + ollamaForms)
		}
	} else if given != "" {
		port = given
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", errors.New("its port is no number up to 65535: " + ollamaForms)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	return u.String(), nil
}
