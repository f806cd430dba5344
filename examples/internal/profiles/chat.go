package profiles

import (
	"cmp"
	"math"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
)

// Apply sets the options of a chat client from the configuration. profile is the profile
// that the program starts with.
func Apply(c *config.Config, profile *config.Profile, o *chat.ClientOptions) {
	o.Window = chat.Window{Messages: c.Chat.Window, Tokens: c.Chat.WindowTokens}
	o.Retry = &llm.RetryPolicy{MaxAttempts: c.Chat.Attempts, MaxDelay: c.Chat.RetryWait}
	o.MaxMessages = c.Chat.KeptMessages
	o.System = c.Chat.SystemPrompt
	o.Options.Temperature, o.Options.TopP, o.Options.Effort = c.Chat.Temperature, c.Chat.TopP, llm.Effort(c.Chat.Reasoning)
	if c.Chat.MaxTokens > 0 {
		o.Options.MaxTokens = &c.Chat.MaxTokens
	}
	o.Policy = chat.TurnPolicy{
		SoftMaxRounds: c.Chat.Rounds, HardMaxRounds: c.Chat.HardRounds, MaxIdenticalCalls: c.Chat.IdenticalCalls,
		MaxCallsPerTool: c.Chat.CallsPerTool, MaxCalls: c.Chat.Calls, MaxParallel: c.Chat.ParallelCalls, InteractionsPerRound: c.Chat.QuestionsPerRound,
		MaxResultChars: c.Chat.ResultChars, Deadline: c.Chat.TurnTimeout, ToolTimeout: c.Tools.Timeout,
		FirstToken: cmp.Or(profile.FirstToken, c.Chat.FirstToken), Idle: cmp.Or(profile.Silence, c.Chat.Silence),
		MaxTokens: c.Chat.TurnTokens,
	}
	if len(c.Chat.Prices) > 0 {
		o.Policy.Price = priceOf(c.Chat.Prices)
		o.Policy.MaxCostMicros = int64(c.Chat.TurnCost * 1e6)
	}
}

// priceOf returns a function that computes the cost of a call, in millionths of the
// currency of the prices.
func priceOf(prices map[string]config.Price) func(llm.ModelInfo, llm.Usage) int64 {
	return func(model llm.ModelInfo, used llm.Usage) int64 {
		price, ok := prices[model.Provider+"/"+model.Name]
		if !ok {
			price = prices[model.Name]
		}
		cached := min(used.CacheRead, used.Input)
		tokens := func(n int, price float64) float64 { return float64(n) * price } // in millionths, since prices are per million tokens
		return int64(math.Ceil(tokens(used.Input-cached, price.Input) + tokens(cached, cmp.Or(price.Cached, price.Input)) + tokens(used.Output, price.Output)))
	}
}
