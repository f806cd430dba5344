// Package openai serves models of servers that speak the API of OpenAI.
package openai

import _ "github.com/sashabaranov/go-openai" // until the client is here
