package malicious_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest/malicious"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// TestHubTimeLimits: no server makes the hub wait longer than its limits, which are those
// of the zero options, when no caller cancels anything.
func TestHubTimeLimits(t *testing.T) {
	for attack, limit := range map[malicious.Attack]time.Duration{
		malicious.SlowStart: 30 * time.Second, // the probe of the newest version, and the dialling
		malicious.SlowList:  time.Minute,      // three tries
		malicious.SlowCall:  16 * time.Second,
	} {
		for _, kind := range hubtest.NetworkKinds {
			for _, version := range []string{hubtest.Older, hubtest.Newer} {
				t.Run(fmt.Sprint(attack, kind, version), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server, err := malicious.New(attack, &malicious.Options{Versions: []string{version}})
						require.NoError(t, err)
						conns := hubtest.Connections(t, hubtest.Fakes{"up": server.Transport(kind)}, nil)
						hub := hubtest.NewHub(t, nil)
						comp := hubtest.Compose(t, hub, conns, nil)
						require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "up", Tool: malicious.Tool}))
						began := time.Now()
						err = conns.Connect(t.Context(), "up")
						if attack != malicious.SlowCall {
							require.Error(t, err)
							assert.LessOrEqual(t, time.Since(began), limit)
							assert.Empty(t, server.Log().Calls)
							return
						}
						require.NoError(t, err)
						hubtest.Approve(t, comp, malicious.Tool)
						began = time.Now()
						result, err := hub.Call(t.Context(), "up_weather", map[string]any{"city": "Bern"})
						require.NoError(t, err)
						require.NotNil(t, result.Err)
						assert.Equal(t, toolspec.KindTimeout, result.Err.Kind)
						assert.LessOrEqual(t, time.Since(began), limit)
						assert.Len(t, server.Log().Calls, 1)
					})
				})
			}
		}
	}
}

// TestProviderHolds: a chat without a composition gets the tools as they are, so only the
// limits hold, and what a server offers under one name is one definition.
func TestProviderHolds(t *testing.T) {
	server, err := malicious.New(malicious.Shadowing, nil)
	require.NoError(t, err)
	conns := hubtest.Connections(t, hubtest.Fakes{"up": server.Transport(client.TransportHTTP)}, nil)
	provider := hubtest.ToolProvider(t, conns, &servers.ToolProviderOptions{})
	defer provider.Close()
	warnings := provider.Refresh(t.Context())
	require.Len(t, warnings, 1)
	assert.ErrorContains(t, warnings[0].Err, `there is a second "weather"`)
	tools, err := provider.Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, tools, 3)
	for _, tool := range tools {
		def := tool.Definition()
		assert.Regexp(t, `^up_[A-Za-z0-9_-]+$`, def.Name)
		if def.Name == "up_weather" {
			assert.Equal(t, "Returns the weather of a city.", def.Description)
			_, err := tool.Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"city":"Bern"}`)})
			require.NoError(t, err)
		}
	}
	assert.Len(t, server.Log().Calls, 1)
}
