package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/localpass/localpass/mcphub/oauth"
)

// documentURL is the Client ID Metadata Document that identifies clients to the suite;
// the URL serves nothing.
const documentURL = "https://conformance-test.local/client-metadata.json"

// settings are the settings that the suite may send: the tools to call, and the identity
// of this client. The members that are set determine how the client authorizes.
type settings struct {
	ToolCalls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`

	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Issuer       string `json:"issuer"`
	PrivateKey   string `json:"private_key_pem"`

	IdentityClient   string `json:"idp_client_id"`
	IdentityToken    string `json:"idp_id_token"`
	IdentityIssuer   string `json:"idp_issuer"`
	IdentityEndpoint string `json:"idp_token_endpoint"`

	WorkloadToken string `json:"valid_jwt"`
}

// credentials returns the credentials of this client. They are used only when a server
// asks for them.
func credentials(address string, s *settings) (client *oauth.Client, closeAll func(), err error) {
	callback, err := oauth.ListenCallback("")
	if err != nil {
		return nil, nil, err
	}
	opts := &oauth.Options{Name: "localpass-conformance", MetadataURL: documentURL, Redirect: callback, Open: agree, Wait: 10 * time.Second}
	if s.ClientID != "" {
		known := oauth.ClientConfig{Issuer: s.Issuer, ID: s.ClientID, Secret: s.ClientSecret}
		if s.PrivateKey != "" {
			if known.Key, err = oauth.ParseSigningKey([]byte(s.PrivateKey), ""); err != nil {
				_ = callback.Close()
				return nil, nil, err
			}
		}
		opts.Clients = []oauth.ClientConfig{known}
	}
	switch {
	case s.WorkloadToken != "":
		opts.Grant = oauth.Assertion(func(context.Context, string) (string, error) { return s.WorkloadToken, nil })
	case s.IdentityToken != "":
		opts.Grant = oauth.EnterpriseManaged(oauth.IdentityProvider{Issuer: s.IdentityIssuer, TokenEndpoint: s.IdentityEndpoint,
			Client:  oauth.ClientConfig{ID: s.IdentityClient},
			IDToken: func(context.Context) (string, error) { return s.IdentityToken, nil }})
	}
	if client, err = oauth.New(address, opts); err != nil {
		_ = callback.Close()
		return nil, nil, err
	}
	return client, func() {
		_ = client.Close()
		_ = callback.Close()
	}, nil
}

// agree simulates a user who approves everything: it opens the page and follows
// its redirects.
func agree(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Transport: &http.Transport{}}
	defer browser.CloseIdleConnections()
	resp, err := browser.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode >= 500 {
		err = fmt.Errorf("the page answered with HTTP %d", resp.StatusCode)
	}
	return err
}
