package rpc

import (
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Methods of MCP.
const (
	MethodInitialize  = string(mcp.MethodInitialize)
	MethodInitialized = "notifications/initialized"
	MethodDiscover    = string(mcp.MethodServerDiscover)
	MethodCancelled   = string(mcp.MethodNotificationCancelled)
	MethodProgress    = "notifications/progress"
	MethodListen      = string(mcp.MethodSubscriptionsListen)
	MethodListening   = "notifications/subscriptions/acknowledged"
	MethodLog         = "notifications/message"
	MethodUpdated     = "notifications/resources/updated"
	MethodElicit      = string(mcp.MethodElicitationCreate)
	MethodSample      = string(mcp.MethodSamplingCreateMessage)
	MethodRoots       = string(mcp.MethodListRoots)
	MethodToolsCall   = string(mcp.MethodToolsCall)
	MethodToolsList   = string(mcp.MethodToolsList)
	MethodPing        = string(mcp.MethodPing)

	MethodTasksGet    = string(mcp.MethodTasksGet)
	MethodTasksResult = string(mcp.MethodTasksResult)
	MethodTasksCancel = string(mcp.MethodTasksCancel)
	MethodTasksList   = string(mcp.MethodTasksList)
	MethodTasksUpdate = "tasks/update"
	MethodTaskStatus  = "notifications/tasks"

	// MethodPageDone says (up to 2025-11-25) that a page which a server asked the user to
	// open is done.
	MethodPageDone = "notifications/elicitation/complete"
)

// IsTasksMethod reports whether a method belongs to the tasks extension.
func IsTasksMethod(method string) bool {
	return method == MethodTasksGet || method == MethodTasksUpdate || method == MethodTasksCancel
}

// Names in capabilities and in _meta.
const (
	ExtensionTasks  = "io.modelcontextprotocol/tasks"          // in the capabilities of both sides
	KeySubscription = "io.modelcontextprotocol/subscriptionId" // the subscription that a notification belongs to
	KeyRelatedTask  = mcp.RelatedTaskMetaKey                   // the task that a message belongs to
	KeyOrigin       = "localpass/origin"                       // the server that a tool or a question comes from
	KeyFindings     = "localpass/findings"                     // the rules of a scan that found something in a result
	KeyDepth        = "depth"                                  // in KeyOrigin of a question: how many hubs have passed it on
)

// Codes of JSON-RPC errors.
const (
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	// CodeURLRequired says (up to 2025-11-25) that the user has to open a page before the
	// server continues.
	CodeURLRequired = -32042
)

// BatchVersion is the only protocol version whose messages may come as a batch.
const BatchVersion = mcp.ProtocolVersion20250326

// LibraryName and LibraryVersion identify both sides by default.
const (
	LibraryName    = "localpass"
	LibraryVersion = "0.1.0"
)

// StatelessVersions and SessionVersions are the supported protocol versions, newest
// first: those without and those with sessions.
var (
	StatelessVersions = [...]string{mcp.ProtocolVersion20260728}
	SessionVersions   = [...]string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20250618, mcp.ProtocolVersion20250326, mcp.ProtocolVersion20241105}
)

// Courtesy is the time limit for a message that nothing waits for.
const Courtesy = 5 * time.Second

// MaxHeaderBytes is the maximum size of the headers of an HTTP request or response.
const MaxHeaderBytes = 64 << 10

// Media types of the streamable HTTP transport, as header values. net/http only
// reads them.
var (
	TypeJSON = []string{"application/json"}
	TypeSSE  = []string{"text/event-stream"}
)

// ErrNotRelayed says that a question of a server is not passed to the caller of a tool:
// the session asks its own handler instead.
var ErrNotRelayed = fmt.Errorf("the question is not passed on: %w", errors.ErrUnsupported)
