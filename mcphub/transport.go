package mcphub

import "github.com/localpass/localpass/mcphub/client"

// Transport is one way to reach one MCP server: see [client.Transport].
type Transport = client.Transport
