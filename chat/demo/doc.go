// Package demo has a model for demonstrations and tests: it answers without a
// network and without a language model, by fixed rules, and says so in its first
// answer of every conversation.
//
//	provider, err := demo.New(nil)
//	model, err := provider.Model(ctx, demo.Name)
//	client, err := chat.NewClient(model, &chat.ClientOptions{Tools: hub})
//
// # What it can do
//
// It calls tools. Which one is decided by what the question and the tool's name,
// description and parameters have in common, and by nothing else: no tool is known
// to it by name. Arguments are taken from the question: by the names of parameters,
// the values of an enumeration, formats such as a date or an address of a page,
// what is in quotes, numbers, places after a preposition. Arguments always match the
// tool's schema; where a required one is not to be found it asks for it, and takes the
// answer. A tool that gives what another one needs is called first, and two tools that
// the question asks for are called together.
//
// It gives back what tools answered, in words that are the same each time. With an
// effort it shows the rules at work as reasoning; with a format it fills in the
// schema. Tokens are estimated, and marked as such. The same request always gets the
// same answer.
//
// Three questions show what else a chat can meet: "long answer 500" writes that many
// words, a question that begins with "think first" reasons, and "fail" alone fails.
package demo
