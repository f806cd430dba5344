package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/localpass/localpass/toolspec/secret"
)

// The variables that name servers of models.
const (
	openAIKey  = "OPENAI_API_KEY"
	openAIBase = "OPENAI_BASE_URL"
	ollamaHost = "OLLAMA_HOST"
)

const (
	ollamaPort = "11434"
	// ollamaForms ends the errors about OLLAMA_HOST, which do not show its value.
	ollamaForms = "write a host, host:port, or a URL such as " + ollamaURL
)

// environment is where the variables say that servers of models are. What is wrong
// with one is an error of the profile that needs it.
type environment struct{ base, host string }

func readEnvironment(lookup secret.Lookup) *environment {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	return &environment{base: get(openAIBase), host: get(ollamaHost)}
}

// ollamaAddress makes a URL of what OLLAMA_HOST may hold, as Ollama's own client
// does: a host, a host and a port, or a URL, in quotes too. An address to listen on
// at all interfaces is asked on this machine.
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
