package platform

import (
	"slices"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// Features is a set of parts of the platform to install. The zero value is all
// of them, and so always right; [FeaturesIn] and [FeaturesUsed] determine what
// code does not need. It is a value: compare and copy it freely.
type Features struct {
	chosen bool
	set    uint64
}

// feature is a part that is installed on its own.
type feature struct {
	name string
	// words are what code must contain to use it: one of each list. Without
	// any it is the name.
	words   [][]string
	install func(p *host, name string)
}

var (
	typedArrays = []string{"Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "getPrototypeOf", "__proto__"}
	// These give lists when they are called on Object, and iterators elsewhere.
	objectLists = []string{"keys", "values", "entries"}
	// What gives code an iterator in its hands.
	iteratorSources = []string{"yield", "values", "keys", "entries", "matchAll", "iterator", "Iterator"}
)

// features lists everything, at most 64.
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

// helper is the feature of one method of iterators: most code that has one in
// its hands calls few of them.
func helper(name string) feature {
	return feature{name: "Iterator.prototype." + name, words: [][]string{iteratorSources, {name}},
		install: func(p *host, _ string) { p.iteratorHelper(name) }}
}

// global makes the installer of a global that is built at its first use.
func global(build func(p *host) goja.Value) func(*host, string) {
	return func(p *host, name string) {
		p.lazy(name, func() goja.Value { return build(p) })
	}
}

func (f Features) has(i int) bool { return !f.chosen || f.set&(1<<i) != 0 }

// None reports that there is nothing to install.
func (f Features) None() bool { return f.chosen && f.set == 0 }

// Names lists the set's members, for people.
func (f Features) Names() []string {
	var out []string
	for i := range features {
		if f.has(i) {
			out = append(out, features[i].name)
		}
	}
	return out
}

// FeaturesUsed is the set for code of which uses tells whether a word occurs in
// it: a name, a keyword or a part of a text. uses must not return false for a
// word that the code could form by itself, such as by joining texts.
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

// FeaturesIn is the set for code, judged by the words of its text wherever they
// occur: in names, in texts, in comments. It is for the time of compiling: it
// reads the whole text once. Code that spells a word with escapes, or puts it
// together as it runs, is not seen through: it finds the language without that
// part. Where that matters, use the zero Features.
func FeaturesIn(code string) Features {
	words := make(map[string]struct{}, len(code)/16+8)
	before := "" // the word before, when at most a dot is between
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
