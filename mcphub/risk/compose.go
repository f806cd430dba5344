package risk

import (
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/toolspec"
)

// Use says how a tool is used, and what a scan says of it. The zero value is a tool that
// is called without asking, and that no scan objects to.
type Use struct {
	// Asked says that a person is asked before each call: the level is one lower, and at
	// least L1, unless Verdict objects.
	Asked   bool
	Verdict scan.Verdict
}

// Composed is the level of a tool of a server: the result of [Compose].
type Composed struct {
	Level toolspec.Level `json:"level"`
	// Total is the sum of both scores.
	Total int `json:"total"`
	// Floor is the floor of the server, else that of the tool; empty: none.
	Floor string `json:"floor,omitempty"`
	// Credit says that the level is lower because a person is asked before each call.
	Credit bool             `json:"credit,omitempty"`
	Server ServerAssessment `json:"server"`
	Tool   Assessment       `json:"tool"`
	Explanation
}

// Compose scores a tool of a server. If the server is trusted, what it says about the tool
// counts; if a person has reviewed the server, the person has reviewed the tool.
func Compose(server ServerFacts, tool Facts, use Use) Composed {
	s := situation{server: server, tool: tool, use: use}
	c := compose(&s)
	c.Change = cheapest(s, levelOf)
	return c
}

func levelOf(s *situation) toolspec.Level { return compose(s).Level }

func compose(s *situation) Composed {
	tool := s.tool
	tool.Trusted = tool.Trusted || s.server.trusted()
	tool.Reviewed = tool.Reviewed || s.server.Attested
	c := Composed{Server: assessServer(&s.server), Tool: assess(&tool)}
	for i, reason := range c.Server.Reasons {
		c.add(c.Server.weights[i].rule, c.Server.weights[i].points, "its server: "+reason)
	}
	for i, reason := range c.Tool.Reasons {
		c.add(c.Tool.weights[i].rule, c.Tool.weights[i].points, reason)
	}
	c.Total = c.Server.Total + c.Tool.Total
	c.Level = band(c.Total)
	if c.Server.Floor != "" || c.Tool.Floor != "" {
		c.Level = max(c.Level, c.Server.Level, c.Tool.Level)
		c.Floor = c.Server.Floor
		if c.Floor == "" {
			c.Floor = c.Tool.Floor
		}
	}
	if s.use.Asked && !objects(s.use.Verdict) && c.Level > toolspec.L1 {
		c.Level--
		c.Credit = true
	}
	return c
}

// objects reports whether a verdict is against a tool.
func objects(v scan.Verdict) bool { return v == scan.Review || v == scan.Block }
