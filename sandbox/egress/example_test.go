package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+r.URL.Path) }))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")

	guard, err := egress.New(egress.Policy{
		Mode:          toolspec.NetworkAllowlist,
		Rules:         []string{"GET " + address + "/v1/*", "*.example.com"},
		OperatorHosts: []string{address}, // internal, and named by the operator
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	client := &http.Client{Transport: guard}

	resp, err := client.Get(server.URL + "/v1/rates")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Printf("%s\n", body)

	for _, url := range []string{server.URL + "/v2", "http://169.254.169.254/", "https://api.example.org/"} {
		_, err = client.Get(url)
		var refused *egress.Error
		if errors.As(err, &refused) {
			fmt.Println(refused.Reason)
		}
	}
	// Output:
	// hello /v1/rates
	// path-not-allowed
	// host-not-in-allowlist
	// host-not-in-allowlist
}

// Code sends a handle; the value is placed where the request leaves, and only
// for the hosts that the secret names.
func ExampleSecret() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%d characters", len(r.Header.Get("X-Key")))
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{address}}, &egress.Options{Call: egress.CallOptions{
		Secrets: []egress.Secret{{Name: "RATES", Hosts: []string{address}}},
		Lookup:  secret.Map(map[string]string{"RATES": "0123456789"}),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	req, _ := http.NewRequest("GET", server.URL, nil)
	req.Header.Set("X-Key", "{{secret:RATES}}")
	resp, err := guard.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Printf("%s\n", body)
	// Output: 10 characters
}

// Exchanges that were recorded once answer without a network.
func ExampleReplayer() {
	replayer := egress.NewReplayer([]egress.Exchange{{
		Request:  egress.ExchangeRequest{Method: "GET", URL: "https://api.example.com/v1/rates"},
		Response: &egress.ExchangeResponse{Status: 200, Body: `{"EUR":1}`},
	}}, nil)
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Call: egress.CallOptions{
		Around: func(http.RoundTripper) http.RoundTripper { return replayer },
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	client := &http.Client{Transport: guard}
	resp, err := client.Get("https://api.example.com/v1/rates")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Printf("%s\n", body)
	_, err = client.Get("https://api.example.com/v1/other")
	fmt.Println(errors.Unwrap(err))
	// Output:
	// {"EUR":1}
	// [fetch] no recorded exchange is left for GET https://api.example.com/v1/other (0 of 1 are unused)
}
