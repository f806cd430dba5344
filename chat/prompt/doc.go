// Package prompt renders prompt templates and keeps presets: named prompts with the tools
// that go with them.
//
// # Templates
//
// A template is text with placeholders, such as {{topic}} or
// {{tone:select(plain,formal)=plain}}.
// [Variables] lists them, with their types and defaults; [Unfilled] names those that
// still need a value; [Validate] says what is wrong with the values; [Render] puts the values in, in one pass, so that a value
// cannot bring placeholders of its own. [RenderedSize] bounds the result beforehand.
//
// # Presets
//
// [Presets] keeps the presets that people write, in any localpass.Persistence, beside
// those that come with the package ([BuiltinPresets]).
package prompt
