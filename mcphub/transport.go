package mcphub

import "github.com/localpass/localpass/mcphub/client"

// Transport connects to one MCP server: see [client.Transport].
type Transport = client.Transport
