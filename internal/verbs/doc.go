// Package verbs finds the words in the names of tools that say that a call cannot be undone,
// such as "delete". Approvals and risk levels are stricter with such a tool. A name is read
// word by word, at separators and at the humps of camelCase.
package verbs
