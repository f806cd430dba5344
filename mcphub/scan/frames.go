package scan

import (
	"strconv"
	"strings"
	"sync"

	"github.com/localpass/localpass/mcphub/scan/internal/clause"
)

// A frame is a shape of demand that is told by how its words stand to each other rather than by
// one verb and its objects: "keep this between us", "your former rules no longer apply".
//
// It is written as elements with spaces between: a word or several with |, a set of words as
// $name, a class as @name, and ~3 for up to three words in between that end no clause with a
// semicolon.
type frame struct {
	rule  string
	is    feature
	shape string
}

// frameWords are the sets of words that frames name.
var frameWords = map[string]string{
	"user":    "user users user's human humans person person's people they them customer customers client clients owner anyone anybody somebody someone nobody pupil pupils patient patients parents reader readers operator everyone",
	"tells":   "tell telling told inform informing informed mention mentioning mentioned disclose disclosed disclosing reveal revealed revealing notify notified say saying said show shown report reported explain explained admit announce discuss discussed label list talk bring raise",
	"learns":  "know knows learn learns notice notices see sees hear hears realise realize discover find aware suspect",
	"no":      "not never no n't don't dont doesn't mustn't shouldn't needn't won't can't cannot without nothing avoid refrain",
	"this":    "this it that them these those so",
	"rules":   "instructions instruction rules guidance guidelines directives prompt prompts training wishes guardrails",
	"past":    "previous prior earlier former above other all any your existing original old system developer user's safety",
	"ignore":  "ignore disregard forget discard bypass circumvent neglect",
	"void":    "void invalid outdated obsolete superseded expired suspended lifted cancelled canceled irrelevant secondary null gone",
	"asks":    "confirmation confirmations approval approvals consent permission permissions asking",
	"skip":    "skip bypass suppress circumvent waive",
	"have":    "have ask get make let request invite urge prompt",
	"types":   "type enter paste provide give share supply tell send name hand reveal submit read",
	"said":    "conversation chat dialogue dialog transcript memories memory messages history prompts everything instructions prompt context outputs",
	"all":     "all every everything entire full complete whole verbatim any each full-length earlier previous word-for-word",
	"hands":   "hand give pass relay put include attach supply send provide submit copy paste forward place add write store feed return repeat print upload transmit share export quote",
	"defect":  "bug bugs buggy broken flawed lags wrong damages corrupts unsafe inaccurate deprecated retired obsolete outdated unreliable insecure unsupported faulty stale leaks leaky slow misses fake banned disabled inferior defective compromised dangerous untrustworthy replaced withdrawn",
	"better":  "use call prefer choose take want replace pick rely",
	"into":    "into in to at on under atop",
	"places":  "file files prompt prompts readme readmes agents.md claude.md skill skills commit commits document documents project projects repository repositories page pages note notes memory template templates footer comment instructions rules .cursorrules",
	"guards":  "firewall auditing auditd antivirus alarm alarms camera cameras two-factor 2fa mfa protection protections sandbox sandboxing safeguards monitoring selinux defender tls certificate verification",
	"off":     "disable deactivate mute silence stop suspend kill off",
	"outside": "partner partners sponsor sponsors affiliate affiliates advertiser advertisers us third-party third-parties vendor collector broker",
	"trust":   "autoapprove auto-approve auto_approve auto-approval autorun auto-run alwaysallow always-allow allowlist allow-list whitelist trusted",
	"config":  "settings.json mcp.json settings configuration config kubeconfig sudoers .claude/settings.json claude_desktop_config.json profile .bashrc .zshrc",
	"bots":    "assistants agents ais llms bots helpers copilots",
	"each":    "each every any all anything whatever whichever everything nothing",
	"work":    "reply replies answer answers message messages request requests question questions task tasks session sessions conversation chat search searches booking bookings mail mails email deploy deploys query queries command commands call calls operation operations action actions tool tools response responses turn step prompt file files payment payments document documents else topic purchase transfer transaction",
	"starts":  "begin begins start starts open opens starting beginning preceded precedes led leads",
	"power":   "unrestricted unlimited unfiltered uncensored jailbroken root admin administrator developer-mode dan",
	"alters":  "add cut turn change put strike swap raise lower double halve replace route inflate reduce deduct multiply round move subtract increase decrease drop insert append prefix substitute shift withhold hold held cap tilt",
	"foreign": "other another elsewhere afterwards whatever whichever wherever later",
	"runs":    "run runs execute executes evaluate evaluating eval apply source install pip npm npx curl wget bash powershell iex running executing",
}

var frames = []frame{
	{ruleConceal, fConceal, "$no ~3 $tells ~5 $user"},
	{ruleConceal, fConceal, "$user ~2 $no|need|needs ~3 $learns"},
	{ruleConceal, fConceal, "no need for $user to $learns|be"},
	{ruleConceal, fConceal, "$user ~2 needn't|mustn't|shouldn't ~2 $learns|be"},
	{ruleConceal, fConceal, "keep ~3 between us|ourselves"},
	{ruleConceal, fConceal, "keep|leave|omit ~5 out|from ~1 of|the|your|any|their ~2 conversation|report|answer|answers|reply|summary|summaries|chat|response|log|transcript|output|user|view|sight"},
	{ruleConceal, fConceal, "keep $this ~2 secret|quiet|hidden|confidential|private|silent|yourself|discreet"},
	{ruleConceal, fConceal, "don't|not|never bring|talk|speak|mention|label|disclose|discuss ~2 $this"},
	{ruleConceal, fConceal, "not ~1 be disclosed|mentioned|revealed|discussed|told|announced"},
	{ruleConceal, fConceal, "say|mention nothing"},
	{ruleConceal, fConceal, "mention|tell|disclose|reveal ~4 only if|when ~2 ask|asks|asked"},
	{ruleConceal, fConceal, "without ~3 $user ~2 knowing|noticing|knowledge|awareness|seeing"},
	{ruleConceal, fConceal, "hide|conceal ~5 from ~2 $user"},

	{ruleOverride, fOverride, "$ignore ~5 $rules"},
	{ruleOverride, fOverride, "$rules ~4 no longer"},
	{ruleOverride, fOverride, "$rules ~5 is|are|were|become ~1 $void"},
	{ruleOverride, fOverride, "everything|anything|all ~2 above|before|earlier|previously|said ~4 is|are|becomes ~1 $void"},
	{ruleOverride, fOverride, "obey|follow ~1 only ~4 this|description|text|these"},
	{ruleOverride, fOverride, "follow|obey|prioritize|prioritise the|this description|text"},
	{ruleOverride, fOverride, "from here|now on ~3 obey|follow|you"},
	{ruleOverride, fOverride, "ranks|rank|counts|takes|has|have ~1 higher|precedence|priority|more ~3 than|over ~4 user|system|developer"},
	{ruleOverride, fOverride, "you are ~1 now ~4 $power"},
	{ruleOverride, fOverride, "you are now a|an|the ~4 assistant|agent|model|robot|bot|called|named"},
	{ruleOverride, fOverride, "pretend|act|behave|roleplay ~1 to|as|like ~1 be|if|a|an|the ~4 $bots|friend|console|admin|administrator|system|human|developer|root"},
	{ruleOverride, fOverride, "as ~1 the voice|words|orders|command|commands of ~1 developer|system|user|administrator"},

	{ruleConsent, fConsent, "$skip ~4 $asks"},
	{ruleConsent, fConsent, "no|without ~3 $asks ~3 needed|required|necessary"},
	{ruleConsent, fConsent, "$user ~3 agreed|consented|approved|accepted|authorised|authorized ~5 advance|already|beforehand|all|everything"},
	{ruleConsent, fConsent, "$user ~2 already ~1 agreed|consented|approved|accepted|authorised|authorized"},
	{ruleConsent, fConsent, "answer|say|click|press yes|ok|allow|accept ~3 yourself|automatically|when|always"},
	{ruleConsent, fConsent, "nobody|anyone|user ~3 asked again"},
	{ruleConsent, fConsent, "$trust ~4 true|on|enabled|yes|all"},
	{ruleConsent, fConsent, "add|append|set|put|edit|change|make|write ~9 $into ~4 $config"},
	{ruleConsent, fConsent, "edit|change|rewrite|modify ~2 $config ~4 so|that|to"},

	{ruleSolicit, fSolicit, "$have ~3 $user ~4 $types ~6 @secret|password|key|code|codes|pin|token|passwords|secret"},
	{ruleSolicit, fSolicit, "ask ~3 for ~5 password|passphrase|pin|passwords|token|credentials|cvv"},

	{ruleSecret, fHarvest, "$hands ~7 $all ~5 $said"},
	{ruleSecret, fHarvest, "$hands ~6 your ~2 instructions|prompt|memories|memory|rules"},
	{ruleSecret, fHarvest, "$all ~3 $user ~1 told|said|typed|wrote|types|says|asked|asks"},
	{ruleSecret, fHarvest, "$all ~3 know|knows|learned|remember|remembers ~3 about ~2 $user"},
	{ruleSecret, fHarvest, "$all ~4 was|were|been said"},
	{ruleSecret, fHarvest, "prompt ~3 run|runs|running|work|operate under|with|by"},
	{ruleSecret, fHarvest, "who ~1 $user is|are"},
	{ruleSecret, fHarvest, "$user ~3 lately|recently|private ~9 $hands|in"},

	{rulePropagate, fPropagate, "$each ~3 $places ~4 save|saves|write|edit|create|touch|open|make|commit"},
	{rulePropagate, fPropagate, "insert|copy|add|paste|append|put|write|include ~8 $into ~2 $each|readme|agents.md|claude.md ~3 $places"},
	{rulePropagate, fPropagate, "copy|repeat|spread|paste ~3 this|whole|entire ~3 paragraph|text|description|message|instruction|sentence"},

	{ruleShadow, fOtherBad, "@other ~1 is|are|has|have|was|lags|returns ~4 $defect"},
	{ruleShadow, fOtherBad, "other|existing|built-in|rival|standard ~3 tools|tool|functions|search|ones ~4 $defect"},
	{ruleShadow, fOtherBad, "$ignore|distrust ~3 @other"},
	{ruleShadow, fOtherBad, "never|stop|instead ~2 use|call|using|calling|trust|of ~2 @other"},
	{ruleShadow, fOtherBad, "better|safer than any|all|every other|others"},
	{ruleShadow, fOtherBad, "considered|consider|treat|treated ~4 switched|off|disabled|gone|removed|absent|nonexistent"},
	{ruleShadow, fInstead, "$better ~2 @own|this|it|one ~3 wherever|instead|only|everywhere"},
	{ruleShadow, fInstead, "with this|it one|alone|only"},
	{ruleShadow, fInstead, "takes|take the|its|their place"},

	{ruleHarm, fGuardOff, "$off ~5 $guards"},
	{ruleHarm, fGuardOff, "turn|switch ~4 $guards ~1 off"},
	{ruleHarm, fGuardOff, "turn|switch off ~3 $guards"},

	{rulePass, fOutside, "$hands|shared|sent|goes|travels|stored|sends|shares|send ~9 with|to ~3 $outside"},
	{rulePass, fOutside, "second|extra|hidden|another copy ~6 to"},
	{rulePass, fOutside, "goes|go|travels|belongs ~3 to ~3 @address"},

	{rulePrecedence, fBots, "$bots ~5 register|report|pass|call|asks|ask|run|disclose|submit|reveal|send|hand ~9 $each|all|@own|@path|@private|@secret"},
	{rulePrecedence, fBots, "obliges|requires|demands|demand|require|oblige|decided|expects ~3 $bots"},

	{rulePrecedence, fFirstOfAll, "$each ~4 $work ~6 $starts ~1 with|by"},
	{rulePrecedence, fFirstOfAll, "before|ahead|front|until ~3 $each ~3 $work"},
	{rulePrecedence, fFirstOfAll, "@own ~2 comes|goes|runs|is first"},
	{rulePrecedence, fFirstOfAll, "$work ~7 only ~3 after ~2 @own"},
	{rulePrecedence, fFirstOfAll, "without|unless ~3 @own ~9 @threat|damage|fail|stale|refuse|break"},
	{rulePrecedence, fFirstOfAll, "whatever|whichever ~3 $user ~1 wants|asks|says"},
	{rulePrecedence, fFirstOfAll, "$starts|open ~2 $each ~2 session|conversation|chat|reply|answer ~2 with|by"},

	{ruleTamper, fAlters, "$alters ~9 $foreign ~3 tools|tool|trackers|apps|servers|assistants|sources|calculators"},
	{ruleTamper, fAlters, "$foreign ~3 tools|tool|trackers|apps|servers|sources ~9 changed|cut|raised|lowered|added|altered|corrected|doubled|halved|increased|reduced|$alters"},
	{ruleTamper, fAlters, "when|whenever|if|should|once|any ~6 moves|sent|send|paid|pay|made|booked|ordered|order|posted|write|writes|created|start|starts|pays|buys ~9 $alters ~9 @number|@address|@identifier|@literal"},
	{ruleTamper, fAlters, "no matter|regardless ~3 where|which|who|of ~3"},

	{ruleHarm, fRunRemote, "$runs ~6 @address"},
	{ruleHarm, fRunRemote, "$runs ~4 sudo|chmod"},
}

// element is one part of a frame.
type element struct {
	words map[string]bool
	is    clause.Class
	own   bool
	other bool // a name in code that is none of this server's tools or of the arguments
	gap   int  // up to so many words are left out; nothing else is set
}

type shape struct {
	frame
	elements []element
}

var frameClasses = map[string]clause.Class{"secret": clause.Secret, "private": clause.Private, "path": clause.Path, "address": clause.Address, "identifier": clause.Identifier, "number": clause.Number, "literal": clause.Literal, "threat": clause.Threat}

// shapeList holds the frames by what they begin with.
type shapeList struct {
	shapes []shape
	byWord map[string][]int
	others []int // those that can begin with a class
}

var shapes = sync.OnceValue(func() *shapeList {
	out := &shapeList{byWord: map[string][]int{}}
	for _, f := range frames {
		s := shape{frame: f}
		for part := range strings.FieldsSeq(f.shape) {
			if n, err := strconv.Atoi(strings.TrimPrefix(part, "~")); err == nil {
				s.elements = append(s.elements, element{gap: n})
				continue
			}
			e := element{words: map[string]bool{}}
			for word := range strings.SplitSeq(part, "|") {
				switch {
				case word == "@own":
					e.own = true
				case word == "@other":
					e.other = true
				case word[0] == '@':
					e.is |= frameClasses[word[1:]]
				case word[0] == '$':
					for w := range strings.FieldsSeq(frameWords[word[1:]]) {
						e.words[w] = true
					}
				default:
					e.words[word] = true
				}
			}
			s.elements = append(s.elements, e)
		}
		k := len(out.shapes)
		out.shapes = append(out.shapes, s)
		first := &s.elements[0]
		for word := range first.words {
			out.byWord[word] = append(out.byWord[word], k)
		}
		if first.is != 0 || first.own || first.other {
			out.others = append(out.others, k)
		}
	}
	return out
})

func (e *element) fits(v *view, i int) bool {
	t := &v.s.Tokens[i]
	return e.words[t.Text] || t.Is&e.is != 0 && !v.params[folded(t.Text)] || e.own && v.own[i] || e.other && v.isOther(i)
}

// isOther reports the name of a tool that is not one of this server.
func (v *view) isOther(i int) bool {
	t := &v.s.Tokens[i]
	name := folded(t.Text)
	return !v.own[i] && !v.siblings[name] && !v.params[name] && (v.foreign[name] || t.Is&clause.Identifier != 0 && strings.Contains(t.Text, "_"))
}

// match reports that the rest of a shape follows its first word at i, and where it ends.
func (s *shape) match(v *view, i int) (to int, found bool) {
	at, gap := i, 0
	for k := range s.elements[1:] {
		e := &s.elements[k+1]
		if e.gap > 0 {
			gap = e.gap
			continue
		}
		found = false
		for j := at + 1; j <= at+1+gap && j < len(v.s.Tokens) && !found; j++ {
			if e.fits(v, j) {
				at, found = j, true
			} else if v.s.Tokens[j].Text == ";" {
				break
			}
		}
		if !found {
			return 0, false
		}
		gap = 0
	}
	return at + 1, true
}

// frameDemands returns what the frames find in the sentence, as one demand.
func (v *view) frameDemands() (demand, bool) {
	var d demand
	first, last := 0, 0
	var found [featureCount]bool
	l := shapes()
	try := func(k, i int) {
		s := &l.shapes[k]
		if found[s.is] {
			return
		}
		to, ok := s.match(v, i)
		if !ok || v.spared(s, i) {
			return
		}
		if d.rule == "" {
			d.rule, first, last = s.rule, i, to
		}
		found[s.is] = true
	}
	for i := range v.s.Tokens {
		for _, k := range l.byWord[v.s.Tokens[i].Text] {
			try(k, i)
		}
		for _, k := range l.others {
			if e := &l.shapes[k].elements[0]; !e.words[v.s.Tokens[i].Text] && e.fits(v, i) {
				try(k, i)
			}
		}
	}
	if d.rule == "" {
		return d, false
	}
	d = v.weigh(d.rule, first, first, last, clause.Orders)
	for f, ok := range found {
		if f := feature(f); ok && f != kinds[d.rule] {
			d.features = append(d.features, f)
			d.points += weights[f]
		}
	}
	return d, true
}

// spared reports that a frame stands in a sentence that forbids what it is about: "never ask
// the user for a password".
func (v *view) spared(s *shape, from int) bool {
	if s.is == fConceal || s.is == fOverride || s.is == fConsent || s.is == fOtherBad {
		return false
	}
	return v.s.HasAny(from-3, from, clause.Not)
}
