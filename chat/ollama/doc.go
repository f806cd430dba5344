// Package ollama serves models of an Ollama server.
package ollama

import _ "github.com/ollama/ollama/api" // until the client is here
