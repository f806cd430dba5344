package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/profiles"
	"github.com/localpass/localpass/toolspec/secret"
)

const (
	// tryListFor and tryAnswerFor are the time limits of a model server for its list of
	// models and for a short answer. A server on this machine may load the model first.
	tryListFor   = 15 * time.Second
	tryAnswerFor = 60 * time.Second
	// maxTriedModels is the maximum number of models in the result of a test.
	maxTriedModels = 500
)

// ModelTest is the result of testing a model server.
type ModelTest struct {
	OK bool `json:"ok"`
	// Problem says what happened and Advice what to do, if the test failed.
	Problem string   `json:"problem,omitempty"`
	Advice  string   `json:"advice,omitempty"`
	Models  []string `json:"models" doc:"The models that the server lists."`
}

// tryModels asks a model server for its models. If it lists them without the key too, the
// list proves nothing about the key, so a model is asked for a short answer.
func tryModels(ctx context.Context, c *candidate, lookup secret.Lookup) ModelTest {
	out := ModelTest{Models: []string{}}
	failed := func(err error) ModelTest {
		out.Problem, out.Advice = explainModelError(err, &c.Profile)
		return out
	}
	keyed := c.Key != ""
	if u, err := url.Parse(c.BaseURL); err == nil && keyed && u.Scheme == "http" && !c.Loopback() && !c.KeyOverHTTP {
		out.Problem, out.Advice = "The key would travel to "+c.Host()+" unencrypted, so it was not sent.", "Use an address that begins with https://."
		return out
	}
	server, err := profiles.Open(c.Profile, lookup, nil)
	if err != nil {
		return failed(err)
	}
	all, err := listModels(ctx, server.Provider)
	if err != nil {
		return failed(err)
	}
	for i := range all[:min(len(all), maxTriedModels)] {
		out.Models = append(out.Models, all[i].Name)
	}
	if keyed && isPublic(ctx, c) {
		name := c.Model
		if name == "" && len(all) > 0 {
			name = all[0].Name
		}
		if name == "" {
			out.Problem, out.Advice = c.Host()+" lists its models without a key and names none, so the key could not be tested.", "Enter the name of a model, and test again."
			return out
		}
		if err := askBriefly(ctx, server.Provider, name); err != nil {
			out.Problem, out.Advice = explainModelError(err, &c.Profile)
			return out
		}
	}
	out.OK = true
	return out
}

func listModels(ctx context.Context, p llm.Provider) ([]llm.ModelInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, tryListFor)
	defer cancel()
	return p.Models(ctx)
}

// isPublic reports whether the server lists its models without a key.
func isPublic(ctx context.Context, c *candidate) bool {
	open := c.Profile
	open.Key, open.Headers = "", nil
	server, err := profiles.Open(open, nil, nil)
	if err != nil {
		return false
	}
	_, err = listModels(ctx, server.Provider)
	return err == nil
}

// askBriefly asks a model for a few words.
func askBriefly(ctx context.Context, p llm.Provider, name string) error {
	ctx, cancel := context.WithTimeout(ctx, tryAnswerFor)
	defer cancel()
	model, err := p.Model(ctx, name)
	if err != nil {
		return err
	}
	few := 16
	req := &llm.ModelRequest{Messages: []llm.Message{llm.UserText("Answer with OK.")}, Options: llm.Options{MaxTokens: &few}, Turn: "test", Round: 1}
	for _, err := range model.Generate(ctx, req) {
		if err != nil {
			return err
		}
	}
	return nil
}

// explainModelError says in plain words why a model server cannot be used, and what to
// do about it.
func explainModelError(err error, p *config.Profile) (problem, advice string) {
	host := p.Host()
	var known *llm.Error
	_ = errors.As(err, &known)
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var missing *secret.MissingError
	status := 0
	if known != nil {
		status = known.HTTPStatus
	}
	switch code := llm.CodeOf(err); {
	case errors.As(err, &missing):
		return "The key of " + p.Name + " has no value.", "Enter the key again."
	case status == http.StatusForbidden:
		return host + " knows the key and does not allow this use (HTTP 403).", "Check at the provider what the key may do, and for which project."
	case code == llm.CodeProviderAuth && p.Key == "":
		return host + " wants a key (HTTP 401).", "Enter the key of your account there."
	case code == llm.CodeProviderAuth:
		return host + " refused the key (HTTP 401).", "Copy the key again in full, and check that it is for this server and was not revoked."
	case code == llm.CodeRateLimited:
		return host + " takes no more requests for this key now (HTTP 429).", "Wait a while, or check the quota of your account there."
	case errors.As(err, &name):
		return "There is no server with the name " + host + ".", "Check the address for typing errors, and the network of this machine."
	case errors.As(err, &certificate):
		return "The certificate of " + host + " is not trusted.", "Check the address, or let this machine trust the certificate."
	case errors.Is(err, syscall.ECONNREFUSED) && p.Provider == config.Ollama:
		return "No Ollama answers at " + host + ".", "Install Ollama from ollama.com, start it with: ollama serve, and test again."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing answers at " + host + ".", "Start the server, check the port, and test again."
	case errors.Is(err, context.DeadlineExceeded) || code == llm.CodeProviderTimeout:
		return host + " did not answer in time.", "Check the address and the network, and test again."
	case code == llm.CodeModelNotFound && p.Model != "":
		return host + " has no model " + p.Model + ".", "Choose one of its list."
	case status >= http.StatusInternalServerError:
		return fmt.Sprintf("%s has a failure of its own (HTTP %d).", host, status), "Try again later."
	case status == http.StatusNotFound || code == llm.CodeProviderRejected && status == 0 || code == llm.CodeStreamBroken:
		kind, hint := "an OpenAI-compatible server", "Check the address: most end with /v1."
		if p.Provider == config.Ollama {
			kind, hint = "Ollama", "Check the address: that of Ollama ends with the port, such as "+"http://localhost:11434."
		}
		return host + " answers, but not as " + kind + ".", hint
	case known != nil && known.Message != "" && status != 0:
		return fmt.Sprintf("%s refused the request (HTTP %d): %s", host, status, known.Message), "Check the address and the key."
	}
	return cmp.Or(host, "The server") + " cannot be reached.", "Check the address and the network, and test again."
}
