package mcphub

import "github.com/mark3labs/mcp-go/mcp"

// Methods of MCP.
const (
	methodInitialize  = string(mcp.MethodInitialize)
	methodInitialized = "notifications/initialized"
	methodDiscover    = string(mcp.MethodServerDiscover)
	methodCancelled   = string(mcp.MethodNotificationCancelled)
	methodProgress    = "notifications/progress"
	methodListen      = string(mcp.MethodSubscriptionsListen)
	methodListening   = "notifications/subscriptions/acknowledged"
	methodLog         = "notifications/message"
	methodElicit      = string(mcp.MethodElicitationCreate)
	methodSample      = string(mcp.MethodSamplingCreateMessage)
	methodRoots       = string(mcp.MethodListRoots)
	methodToolsCall   = string(mcp.MethodToolsCall)
	methodToolsList   = string(mcp.MethodToolsList)
	methodPing        = string(mcp.MethodPing)

	methodTasksGet    = string(mcp.MethodTasksGet)
	methodTasksResult = string(mcp.MethodTasksResult)
	methodTasksCancel = string(mcp.MethodTasksCancel)
	methodTasksList   = string(mcp.MethodTasksList)
	methodTasksUpdate = "tasks/update"
	methodTaskStatus  = "notifications/tasks"

	// methodPageDone says (up to 2025-11-25) that a page which a server asked to
	// open has served its purpose.
	methodPageDone = "notifications/elicitation/complete"
)

// isTasksMethod reports whether a method is one of the extension for tasks.
func isTasksMethod(method string) bool {
	return method == methodTasksGet || method == methodTasksUpdate || method == methodTasksCancel
}

// Names in capabilities and in _meta.
const (
	extensionTasks  = "io.modelcontextprotocol/tasks"          // in the capabilities of both sides
	keySubscription = "io.modelcontextprotocol/subscriptionId" // the subscription that a notification belongs to
	keyRelatedTask  = mcp.RelatedTaskMetaKey                   // the task that a message belongs to
	keyOrigin       = "localpass/origin"                       // the server that a tool or a question comes from
	keyDepth        = "depth"                                  // in keyOrigin of a question: how many hubs have passed it on
)

// Codes of JSON-RPC errors.
const (
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
	// codeURLRequired says (up to 2025-11-25) that the person has to open a page
	// before the server does what it was asked.
	codeURLRequired = -32042
)

// batchVersion is the one protocol version whose messages may come as a batch.
const batchVersion = mcp.ProtocolVersion20250326

// libraryVersion is the version that both sides give for themselves when they are
// given none.
const libraryVersion = "0.1.0"

// maxHeaderBytes bounds the headers of an HTTP request or response.
const maxHeaderBytes = 64 << 10

// Media types of the streamable HTTP transport, as header values. net/http only
// reads them.
var (
	typeJSON = []string{"application/json"}
	typeSSE  = []string{"text/event-stream"}
)
