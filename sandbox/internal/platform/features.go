package platform

import (
	"slices"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// Features is a set of parts of the platform to install. The zero value means all parts
// and is always correct; [FeaturesIn] and [FeaturesUsed] leave out the parts that code
// does not need. Features values can be compared and copied.
type Features struct {
	chosen bool
	set    uint64
}

// feature is a part of the platform that can be installed separately.
type feature struct {
	name string
	// words are the words that code must contain to use the feature: at least one word of
	// each list. If words is empty, it is the name.
	words   [][]string
	install func(p *host, name string)
}

var (
	typedArrays = []string{"Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "getPrototypeOf", "__proto__"}
	// These methods return lists if they are called on Object, and iterators otherwise.
	objectLists = []string{"keys", "values", "entries"}
	// The words by which code can obtain an iterator.
	iteratorSources = []string{"yield", "values", "keys", "entries", "matchAll", "iterator", "Iterator"}
)

// features lists all features, at most 64.
var features = [...]feature{
	{name: "crypto", install: global((*host).newCrypto)},
	{name: "Intl", install: global((*host).newIntl)},
	{name: "URL", install: global((*host).newURL)},
	{name: "URLSearchParams", install: global((*host).newParams)},
	{name: "TextEncoder", install: global((*host).newTextEncoder)},
	{name: "TextDecoder", install: global((*host).newTextDecoder)},
	{name: "atob", install: global((*host).newAtob)},
	{name: "btoa", install: global((*host).newBtoa)},
	{name: "structuredClone", install: global((*host).newClone)},
	{name: "queueMicrotask", install: global((*host).newQueueMicrotask)},
	{name: "setTimeout", install: global((*host).newSetTimeout)},
	{name: "setInterval", install: global((*host).newSetInterval)},
	{name: "clearTimeout", install: global((*host).newClearTimeout)},
	{name: "clearInterval", install: global((*host).newClearInterval)},
	{name: "Number.toLocaleString", words: [][]string{{"toLocaleString"}}, install: (*host).numberToLocale},
	{name: "Date.toLocaleString", words: [][]string{{"toLocaleString", "toLocaleDateString", "toLocaleTimeString"}}, install: (*host).dateToLocale},
	{name: "TypedArray.from", words: [][]string{{"from"}, typedArrays}, install: (*host).typedArrayFrom},
	{name: "Object.groupBy", words: [][]string{{"groupBy"}, {"Object", "constructor"}}, install: (*host).objectGroupBy},
	{name: "Map.groupBy", words: [][]string{{"groupBy"}, {"Map", "constructor"}}, install: (*host).mapGroupBy},
	{name: "Promise.withResolvers", words: [][]string{{"withResolvers"}}, install: (*host).promiseWithResolvers},
	{name: "Promise.try", words: [][]string{{"Promise", "constructor"}, {"try"}}, install: (*host).promiseTry},
	{name: "Array.fromAsync", words: [][]string{{"fromAsync"}}, install: (*host).arrayFromAsync},
	{name: "RegExp.escape", words: [][]string{{"RegExp", "constructor"}, {"escape"}}, install: (*host).regExpEscape},
	{name: "String.isWellFormed", words: [][]string{{"isWellFormed", "toWellFormed"}}, install: (*host).wellFormed},
	{name: "Iterator", install: global((*host).newIterator)},
	helper("map"), helper("filter"), helper("take"), helper("drop"), helper("flatMap"), helper("reduce"),
	helper("toArray"), helper("forEach"), helper("some"), helper("every"), helper("find"),
}

// helper returns the feature for one iterator method. Each method is a separate feature,
// since most code that uses iterators calls only a few of them.
func helper(name string) feature {
	return feature{name: "Iterator.prototype." + name, words: [][]string{iteratorSources, {name}},
		install: func(p *host, _ string) { p.iteratorHelper(name) }}
}

// global returns the installer of a global that is built on first use.
func global(build func(p *host) goja.Value) func(*host, string) {
	return func(p *host, name string) {
		p.lazy(name, func() goja.Value { return build(p) })
	}
}

func (f Features) has(i int) bool { return !f.chosen || f.set&(1<<i) != 0 }

// None reports whether there is nothing to install.
func (f Features) None() bool { return f.chosen && f.set == 0 }

// Names returns the names of the features in the set, for display.
func (f Features) Names() []string {
	var out []string
	for i := range features {
		if f.has(i) {
			out = append(out, features[i].name)
		}
	}
	return out
}

// FeaturesUsed returns the features that code can use. uses reports whether a word occurs
// in the code: a name, a keyword or a part of a string. uses must not return false for a
// word that the code could form at run time, such as by joining strings.
func FeaturesUsed(uses func(word string) bool) Features {
	f := Features{chosen: true}
	for i := range features {
		if features[i].usedBy(uses) {
			f.set |= 1 << i
		}
	}
	return f
}

func (f *feature) usedBy(uses func(string) bool) bool {
	if f.words == nil {
		return uses(f.name)
	}
	for _, alternatives := range f.words {
		if !slices.ContainsFunc(alternatives, uses) {
			return false
		}
	}
	return true
}

// FeaturesIn returns the features that code can use, judged by the words that occur
// anywhere in its text: in names, strings or comments. It reads the whole text, so call
// it once, when the code is compiled. It does not detect a word that code writes with
// escapes or assembles at run time; such code runs without that feature. If that matters,
// use the zero Features.
func FeaturesIn(code string) Features {
	words := make(map[string]struct{}, len(code)/16+8)
	before := "" // the word before, if at most a dot separates them
	for i := 0; i < len(code); {
		if !wordByte(code[i]) {
			if code[i] != '.' {
				before = ""
			}
			i++
			continue
		}
		start := i
		for i < len(code) && wordByte(code[i]) {
			i++
		}
		word := code[start:i]
		if before != "Object" || !slices.Contains(objectLists, word) {
			words[word] = struct{}{}
		}
		before = word
	}
	return FeaturesUsed(func(word string) bool {
		_, ok := words[word]
		return ok
	})
}

func wordByte(c byte) bool {
	return ascii.IsLetter(c) || ascii.IsDigit(c) || c == '_' || c == '$' || c >= 0x80
}
