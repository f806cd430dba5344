package lower

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/localpass/localpass/internal/clip"
)

// property returns the set of \p{text}: a general category, a script, or a binary
// property. Names are matched exactly, as the language requires.
func property(text string) (set, error) {
	name, value, pair := strings.Cut(text, "=")
	if pair {
		switch name {
		case "General_Category", "gc":
			if s, ok := category(value); ok {
				return s, nil
			}
		case "Script", "sc":
			if s, ok := script(value); ok {
				return s, nil
			}
		case "Script_Extensions", "scx":
			if _, ok := script(value); ok {
				return nil, unsupported(fmt.Sprintf(`\p{%s} is not supported: script extensions are not known here; write \p{Script=%s}`, clip.To(text, 40), clip.To(value, 40)))
			}
		}
		return nil, invalid(fmt.Sprintf(`there is no property \p{%s}`, clip.To(text, 40)))
	}
	if s, ok := category(name); ok {
		return s, nil
	}
	if s, ok := binary(name); ok {
		return s, nil
	}
	if s, ok := emojiProperties()[name]; ok {
		return slices.Clone(s), nil
	}
	switch name {
	case "Bidi_Mirrored", "Bidi_M", "Case_Ignorable", "CI", "Changes_When_Casefolded", "CWCF", "Changes_When_Casemapped", "CWCM",
		"Changes_When_Lowercased", "CWL", "Changes_When_NFKC_Casefolded", "CWKCF", "Changes_When_Titlecased", "CWT",
		"Changes_When_Uppercased", "CWU", "XID_Continue", "XIDC", "XID_Start", "XIDS":
		return nil, unsupported(fmt.Sprintf(`\p{%s} is not supported; name the characters or ranges instead`, name))
	case "Basic_Emoji", "Emoji_Keycap_Sequence", "RGI_Emoji", "RGI_Emoji_Flag_Sequence", "RGI_Emoji_Modifier_Sequence",
		"RGI_Emoji_Tag_Sequence", "RGI_Emoji_ZWJ_Sequence":
		return nil, unsupported(fmt.Sprintf(`\p{%s} is not supported: it matches sequences; use \p{Extended_Pictographic} or \p{Emoji_Presentation}`, name))
	}
	return nil, invalid(fmt.Sprintf(`there is no property \p{%s}`, clip.To(text, 40)))
}

// category returns the set of a general category, by its short or long name.
func category(name string) (set, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	table, ok := unicode.Categories[name]
	if !ok {
		return nil, false
	}
	return tables(table), true
}

// script returns the set of a script, by its long name or its code of four letters.
func script(name string) (set, bool) {
	name = scriptName(name)
	if name == "Unknown" || name == "Zzzz" {
		all := make([]*unicode.RangeTable, 0, len(unicode.Scripts))
		for _, t := range unicode.Scripts {
			all = append(all, t)
		}
		return tables(all...).complement(), true
	}
	table, ok := unicode.Scripts[name]
	if !ok {
		return nil, false
	}
	return tables(table), true
}

// binary returns the set of a binary property, by its long or short name. Derived
// properties are composed as DerivedCoreProperties defines.
func binary(name string) (set, bool) {
	switch name {
	case "Any":
		return everything(), true
	case "ASCII":
		return set{{0, 0x7F}}, true
	case "Assigned":
		return tables(unicode.Cn).complement(), true
	case "Alphabetic", "Alpha":
		return tables(unicode.Lu, unicode.Other_Uppercase, unicode.Ll, unicode.Other_Lowercase,
			unicode.Lt, unicode.Lm, unicode.Lo, unicode.Nl, unicode.Other_Alphabetic), true
	case "Lowercase", "Lower":
		return tables(unicode.Ll, unicode.Other_Lowercase), true
	case "Uppercase", "Upper":
		return tables(unicode.Lu, unicode.Other_Uppercase), true
	case "Cased":
		return tables(unicode.Ll, unicode.Other_Lowercase, unicode.Lu, unicode.Other_Uppercase, unicode.Lt), true
	case "Math":
		return tables(unicode.Sm, unicode.Other_Math), true
	case "ID_Start", "IDS":
		return identifierStart(), true
	case "ID_Continue", "IDC":
		more := tables(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
		return subtract(union(identifierStart(), more), tables(unicode.Pattern_Syntax, unicode.Pattern_White_Space)), true
	case "Grapheme_Extend", "Gr_Ext":
		return tables(unicode.Me, unicode.Mn, unicode.Other_Grapheme_Extend), true
	case "Grapheme_Base", "Gr_Base":
		return tables(unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co, unicode.Cn, unicode.Zl, unicode.Zp,
			unicode.Me, unicode.Mn, unicode.Other_Grapheme_Extend).complement(), true
	case "Default_Ignorable_Code_Point", "DI":
		not := union(tables(unicode.White_Space, unicode.Prepended_Concatenation_Mark), set{{0xFFF9, 0xFFFB}, {0x13430, 0x13440}})
		return subtract(tables(unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector), not), true
	}
	if table := plainProperty(name); table != nil {
		return tables(table), true
	}
	return nil, false
}

func identifierStart() set {
	yes := tables(unicode.L, unicode.Nl, unicode.Other_ID_Start)
	return subtract(yes, tables(unicode.Pattern_Syntax, unicode.Pattern_White_Space))
}

// plainProperty returns the table of a property that the standard library has and
// patterns may use. The library also has properties that patterns may not use.
func plainProperty(name string) *unicode.RangeTable {
	switch name {
	case "ASCII_Hex_Digit", "AHex":
		return unicode.ASCII_Hex_Digit
	case "Bidi_Control", "Bidi_C":
		return unicode.Bidi_Control
	case "Dash":
		return unicode.Dash
	case "Deprecated", "Dep":
		return unicode.Deprecated
	case "Diacritic", "Dia":
		return unicode.Diacritic
	case "Extender", "Ext":
		return unicode.Extender
	case "Hex_Digit", "Hex":
		return unicode.Hex_Digit
	case "IDS_Binary_Operator", "IDSB":
		return unicode.IDS_Binary_Operator
	case "IDS_Trinary_Operator", "IDST":
		return unicode.IDS_Trinary_Operator
	case "Ideographic", "Ideo":
		return unicode.Ideographic
	case "Join_Control", "Join_C":
		return unicode.Join_Control
	case "Logical_Order_Exception", "LOE":
		return unicode.Logical_Order_Exception
	case "Noncharacter_Code_Point", "NChar":
		return unicode.Noncharacter_Code_Point
	case "Pattern_Syntax", "Pat_Syn":
		return unicode.Pattern_Syntax
	case "Pattern_White_Space", "Pat_WS":
		return unicode.Pattern_White_Space
	case "Quotation_Mark", "QMark":
		return unicode.Quotation_Mark
	case "Radical":
		return unicode.Radical
	case "Regional_Indicator", "RI":
		return unicode.Regional_Indicator
	case "Sentence_Terminal", "STerm":
		return unicode.Sentence_Terminal
	case "Soft_Dotted", "SD":
		return unicode.Soft_Dotted
	case "Terminal_Punctuation", "Term":
		return unicode.Terminal_Punctuation
	case "Unified_Ideograph", "UIdeo":
		return unicode.Unified_Ideograph
	case "Variation_Selector", "VS":
		return unicode.Variation_Selector
	case "White_Space", "space":
		return unicode.White_Space
	}
	return nil
}
