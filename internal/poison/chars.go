package poison

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file holds the rules about characters. Each rule inspects every
// character of the original once.

// isInvisible reports whether a character shows nothing by itself and joins,
// directs or fills what is next to it.
func isInvisible(r rune) bool {
	switch {
	case isZeroWidth(r), isDirection(r), isTag(r), isSelector(r):
		return true
	}
	return false
}

func isZeroWidth(r rune) bool {
	switch r {
	case '\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u180e', '\u3164', '\ufeff', '\uffa0':
		return true
	}
	return r >= 0x200b && r <= 0x200f || r >= 0x2060 && r <= 0x2064 || r >= 0x206a && r <= 0x206f
}

// isDirection reports whether a character changes the direction of text: an embedding,
// override or isolate.
func isDirection(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

func isSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

func isPrivate(r rune) bool { return r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000 && r <= 0x10fffd }

func isEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r >= 0x1f3fb || r == 0xfe0f || r == 0x20e3
}

// joining reports whether the script of a character needs the zero-width joiner and
// non-joiner.
func joining(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
		unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan, unicode.Thaana)
}

// spaceless reports whether the script of a character marks the end of a word with a
// zero-width space.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese)
}

// rightToLeft reports whether the text has letters of a right-to-left script.
func rightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
}

// characters reports findings about single characters.
func (s *scanner) characters() {
	text := s.text
	rtl := rightToLeft(text)
	var before rune
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		run := 0 // length of the reported text
		switch {
		case r == '\x1b':
			run = ansiEnd(text[i:])
			s.report(ruleANSI, i, run)
		case unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t':
			run = runLength(text[i:], func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != '\x1b' })
			s.report(ruleANSI, i, run)
		case isDirection(r):
			run = runLength(text[i:], isDirection)
			s.report(ruleDirection, i, run)
		case r == 0x1f3f4 && flagEnd(text[i+n:]) > 0:
			n += flagEnd(text[i+n:]) // the flag of a region within a country
		case isTag(r):
			run = runLength(text[i:], isTag)
			s.report(ruleTags, i, run)
		case isSelector(r):
			if run = runLength(text[i:], isSelector); run > n {
				s.report(ruleTags, i, run)
			}
		case isPrivate(r):
			if run = runLength(text[i:], isPrivate); utf8.RuneCountInString(text[i:i+run]) >= 3 {
				s.report(ruleTags, i, run)
			}
		case isZeroWidth(r):
			run = runLength(text[i:], isZeroWidth)
			after, _ := utf8.DecodeRuneInString(text[i+run:])
			if run > n || !allowedZeroWidth(r, before, after, i, rtl) {
				s.report(ruleZeroWidth, i, run)
			}
		}
		before = r
		i += max(run, n)
	}
}

// allowedZeroWidth reports whether a single zero-width character is at a place where the
// script needs it.
func allowedZeroWidth(r, before, after rune, offset int, rtl bool) bool {
	switch r {
	case '\ufeff':
		return offset == 0
	case '\u200d':
		return isEmoji(before) && isEmoji(after) || joining(before)
	case '\u200c':
		return joining(before)
	case '\u200b':
		return spaceless(before) && spaceless(after)
	case '\u200e', '\u200f', '\u061c':
		return rtl
	case '\u00ad': // a soft hyphen within a word
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	}
	return false
}

func runLength(text string, is func(rune) bool) int {
	end := strings.IndexFunc(text, func(r rune) bool { return !is(r) })
	if end < 0 {
		return len(text)
	}
	return end
}

// ansiEnd returns the length of the escape sequence at the start of text.
func ansiEnd(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[':
		end := 2
		for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == ';' || text[end] == '?') {
			end++
		}
		if end < len(text) && text[end] >= '@' && text[end] <= '~' {
			end++
		}
		return end
	case ']': // an operating system command, such as a link: up to its end
		end := strings.IndexAny(text, "\a\n")
		if st := strings.Index(text[1:], "\x1b"); st >= 0 && (end < 0 || st+1 < end) {
			end = st + 1
		}
		if end < 0 {
			return len(text)
		}
		return end
	}
	return 1
}

// flagEnd returns the length of the tag characters that follow a black flag and make it
// the flag of a region; 0 if they do not.
func flagEnd(text string) int {
	n := 0
	for i, r := range text {
		switch {
		case r == 0xe007f && n >= 3:
			return i + utf8.RuneLen(r)
		case r >= 0xe0061 && r <= 0xe007a || r >= 0xe0030 && r <= 0xe0039:
			if n++; n > 6 {
				return 0
			}
		default:
			return 0
		}
	}
	return 0
}

// homoglyphs reports words in which look-alike letters of another script replace Latin
// letters.
func (s *scanner) homoglyphs() {
	text := s.text
	if isASCII(text) {
		return
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) {
			i += n
			continue
		}
		end := i + runLength(text[i:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) })
		if mixed(text[i:end]) {
			s.report(ruleHomoglyph, i, end-i)
		}
		i = end
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// mixed reports whether a word is such a fake. A word with a foreign letter that
// resembles no Latin letter is a legitimate mixture: it cannot be mistaken for a Latin
// word.
func mixed(word string) bool {
	plain, alike, wide, letters := 0, 0, 0, 0
	for _, r := range word {
		letters++
		switch {
		case r < utf8.RuneSelf:
			plain++
		case r >= 0xff21 && r <= 0xff3a || r >= 0xff41 && r <= 0xff5a:
			wide++
		case Twin(r) != r:
			alike++
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee):
			return false
		case unicode.Is(unicode.Latin, r):
			plain++
		}
	}
	// Short words are units and formulas: μm, Δt, Ωm.
	return plain > 0 && letters >= 3 && (alike > 0 || wide > 0)
}

// lookalikes are letters that pass for Latin ones in most fonts, and latin is what each
// of them passes for.
const (
	lookalikes = "" +
		"авеіјкмнорсԁѕтухһӏԛԝАВЕЅІЈКМНОРСТУХҮԌԚԜѴ" + // Cyrillic
		"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνορυχϲϳ" + // Greek
		"աօոսցհքեԼՍՏՕ" + // Armenian
		"ᎪᎬᎢᎻᎫᏞᎷᏢᏚᎳᏃ" // Cherokee
	latin = "abeijkmhopcdstyxhlqwABESIJKMHOPCTYXYGQWV" + "ABEZHIKMNOPTYXikvopuxcj" + "wonughpeLUSO" + "AETHJLMPSWZ"
)

// twins maps each look-alike letter to its Latin one.
var twins = func() map[rune]rune {
	out, to := map[rune]rune{}, 0
	for _, r := range lookalikes {
		out[r] = rune(latin[to])
		to++
	}
	return out
}()

// Twin returns the Latin letter that r passes for; r itself if it passes for none.
func Twin(r rune) rune {
	if twin, alike := twins[r]; alike {
		return twin
	}
	return r
}

// padding reports blank stretches that push text out of sight, and texts longer than any
// description needs.
func (s *scanner) padding() {
	const columns, lines, most = 200, 20, 4000
	for i := 0; i < len(s.text); {
		n := runLength(s.text[i:], unicode.IsSpace)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s.text[i:])
			i += n
			continue
		}
		blank := s.text[i : i+n]
		last := blank[strings.LastIndexByte(blank, '\n')+1:]
		if i+n < len(s.text) && (len(last) > columns || strings.Count(blank, "\n") > lines) {
			s.report(rulePadding, i, n)
		}
		i += n
	}
	if utf8.RuneCountInString(s.whole) > most {
		at := 0
		for range most {
			_, n := utf8.DecodeRuneInString(s.whole[at:])
			at += n
		}
		s.found = append(s.found, Finding{Rule: rulePadding, Offset: at, Length: len(s.whole) - at})
	}
}
