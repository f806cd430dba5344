// Package localpass is a safe local execution layer for AI-agent tools.
package localpass
