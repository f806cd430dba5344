package rpc

import "github.com/mark3labs/mcp-go/mcp"

// LogLevel is a log level of RFC 5424 with MCP's names, by severity. The zero value means
// that the client wants no log messages.
type LogLevel int8

const (
	LogNone LogLevel = iota
	logDebug
	LogInfo
	logNotice
	logWarning
	logError
	logCritical
	logAlert
	logEmergency
)

var levelNames = [...]string{"", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String returns the name of the level in MCP; empty for none.
func (l LogLevel) String() string { return levelNames[l] }

// ParseLevel returns LogNone for an unknown name.
func ParseLevel(name string) LogLevel {
	switch mcp.LoggingLevel(name) {
	case mcp.LoggingLevelDebug:
		return logDebug
	case mcp.LoggingLevelInfo:
		return LogInfo
	case mcp.LoggingLevelNotice:
		return logNotice
	case mcp.LoggingLevelWarning:
		return logWarning
	case mcp.LoggingLevelError:
		return logError
	case mcp.LoggingLevelCritical:
		return logCritical
	case mcp.LoggingLevelAlert:
		return logAlert
	case mcp.LoggingLevelEmergency:
		return logEmergency
	}
	return LogNone
}
