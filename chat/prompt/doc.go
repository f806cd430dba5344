// Package prompt renders prompt templates and stores presets: named prompts with their tools.
//
// # Templates
//
// A template is text with placeholders, such as {{topic}} or {{tone:select(plain,formal)=plain}}. [Variables] lists them, with
// their types and defaults; [Unfilled] names those that still need a value; [Validate] checks the values; [Render] inserts the
// values in one pass, so that placeholders within a value are not replaced. [RenderedSize] bounds the size of the result
// beforehand.
//
// # Presets
//
// [Presets] stores the presets that users write, in any localpass.Persistence, in addition to those that come with the package
// ([BuiltinPresets]).
package prompt
