package render

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// language is what the lines of a programming language are coloured by.
type language struct {
	comments    []string // begin comments that end with their line
	open, close string   // of comments that may span lines
	quotes      string   // delimit strings that end on their line
	raw         []string // delimit strings that may span lines
	words       map[string]bool
	fold        bool // words are recognised in capitals too
	tags        bool // words are the names of tags, and strings follow "="
	diff        bool // lines begin with their sign
}

// languages returns the known languages by the names that follow a fence.
var languages = sync.OnceValue(func() map[string]*language {
	const flow = "break case catch continue default do else finally for if return switch throw try while true false null this new "
	all := map[string]*language{}
	add := func(names string, l language, words string) {
		l.words = map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			l.words[word] = true
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = &l
		}
	}
	c := language{comments: []string{"//"}, open: "/*", close: "*/", quotes: `"'`}
	ticks := c
	ticks.raw = []string{"`"}
	hash := language{comments: []string{"#"}, quotes: `"'`}
	python := hash
	python.raw = []string{`"""`, "'''"}
	add("go golang", ticks, "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var "+
		"any bool byte error false float64 int int64 nil rune string true uint uint64")
	add("js javascript jsx mjs ts typescript tsx", ticks, flow+"abstract any as async await boolean class const debugger declare delete enum export extends from function get implements import in instanceof "+
		"interface keyof let namespace never number of private protected public readonly set static string super type typeof undefined unknown var void yield")
	add("c h cpp c++ cc hpp", c, flow+"auto bool char class const constexpr delete double enum explicit extern float friend goto inline int long namespace nullptr operator override private protected public "+
		"register short signed sizeof static struct template typedef typename union unsigned using virtual void volatile #include #define #if #ifdef #ifndef #endif #else #pragma")
	add("java kt kotlin scala cs csharp c# dart swift", c, flow+"abstract actor as async await base boolean bool byte char class companion const data double enum extends extension final float fun func get guard implements import "+
		"in init int interface internal is lateinit let long namespace nil object override package private protected protocol public readonly sealed self set short static string struct super throws "+
		"trait typealias using val var virtual void when where yield")
	add("rs rust", c, "as async await bool break char const continue crate dyn else enum extern f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u32 u64 u8 unsafe use usize where while")
	add("php", c, flow+"abstract array as class const echo elseif extends fn foreach function global implements include interface namespace private protected public require static trait use var yield")
	add("css scss less", language{open: "/*", close: "*/", quotes: `"'`}, "@import @media @keyframes @font-face @supports important")
	add("py python python3", python, "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield")
	add("rb ruby", hash, "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield")
	add("sh bash zsh shell console", hash, "break case continue do done elif else esac exit export fi for function if in local return set shift then trap unset until while")
	add("dockerfile docker", hash, "FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG AS HEALTHCHECK SHELL")
	add("yaml yml toml ini conf properties make makefile r perl pl elixir nix tf hcl", hash, "true false null yes no on off if else for in function return my sub use resource variable output def do end")
	add("json jsonc json5", c, "true false null")
	add("lua", language{comments: []string{"--"}, quotes: `"'`}, "and break do else elseif end false for function goto if in local nil not or repeat return then true until while")
	add("sql postgresql mysql sqlite", language{comments: []string{"--"}, open: "/*", close: "*/", quotes: `"'`, fold: true}, "add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end "+
		"exists false foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right rollback select set table then true union unique "+
		"update using values view when where with")
	add("html htm xml svg vue", language{open: "<!--", close: "-->", quotes: `"'`, tags: true}, "")
	add("diff patch", language{diff: true}, "")
	return all
})

// languageOf returns the language that the text after a fence names; nil: it is not known.
func languageOf(info string) *language {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(info), "{."), " ")
	return languages()[strings.ToLower(strings.TrimRight(name, "}"))]
}

// highlighter colours code line by line, so that it can be shown while it streams in. Its
// zero value shows code of an unknown language.
type highlighter struct {
	lang  *language
	until string // ends the comment or the string that the line is in; empty: in none
	style Style  // of that comment or string
}

// maxCodeLine is the length of the longest line that is coloured, in bytes, because the
// time grows with its square.
const maxCodeLine = 4 << 10

// line returns the cells of a line, and moves on to the next one.
func (h *highlighter) line(text string) []cell {
	switch {
	case h.lang == nil || len(text) > maxCodeLine:
		return styledCells(nil, text, Code)
	case h.lang.diff:
		return styledCells(nil, text, diffStyle(text))
	}
	var out []cell
	for i := 0; i < len(text); {
		n, style := h.token(text, i)
		out = styledCells(out, text[i:i+n], style)
		i += n
	}
	return out
}

// token returns the length and the style of the token at a position.
func (h *highlighter) token(text string, at int) (int, Style) {
	l, rest := h.lang, text[at:]
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if h.until == "" && l.open != "" && strings.HasPrefix(rest, l.open) {
		return h.span(rest, l.open, l.close, Dim)
	}
	for _, quote := range l.raw {
		if h.until == "" && strings.HasPrefix(rest, quote) {
			return h.span(rest, quote, quote, String)
		}
	}
	if h.until != "" {
		return h.span(rest, "", h.until, h.style)
	}
	for _, mark := range l.comments {
		if strings.HasPrefix(rest, mark) && (mark != "#" || at == 0 || before == ' ') {
			return len(rest), Dim
		}
	}
	first, size := utf8.DecodeRuneInString(rest)
	if strings.ContainsRune(l.quotes, first) && (!l.tags || before == '=') {
		if n := quotedLength(rest); n > 0 {
			return n, String
		}
		return size, 0
	}
	if first >= '0' && first <= '9' && !l.tags {
		return wordLength(rest, true), Number
	}
	n := wordLength(rest, false)
	if n == 0 {
		return size, 0
	}
	word := rest[:n]
	if l.fold {
		word = strings.ToLower(word)
	}
	if l.words[word] || l.tags && (before == '<' || strings.HasSuffix(text[:at], "</")) {
		return n, Keyword
	}
	return n, 0
}

// span returns a comment or a string up to its end, or up to the end of the line, in which
// case the next line goes on with it.
func (h *highlighter) span(rest, open, end string, style Style) (int, Style) {
	if at := strings.Index(rest[len(open):], end); at >= 0 {
		h.until = ""
		return len(open) + at + len(end), style
	}
	h.until, h.style = end, style
	return len(rest), style
}

// quotedLength returns the length of the string at the beginning of a text; 0: its end is
// not on the line.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 0
}

// wordLength returns the length of the word, or the number, at the beginning of a text. The
// first character of a word may be a sign that only words of some languages begin with.
func wordLength(text string, number bool) int {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', i == 0 && (r == '#' || r == '@'):
		case number && r == '.' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
		default:
			return i
		}
	}
	return len(text)
}

func diffStyle(line string) Style {
	switch {
	case strings.HasPrefix(line, "@@"):
		return Number
	case strings.HasPrefix(line, "+"):
		return String
	case strings.HasPrefix(line, "-"):
		return Alarm
	}
	return 0
}

func styledCells(out []cell, text string, s Style) []cell {
	for _, r := range text {
		out = appendRune(out, r, s)
	}
	return out
}
