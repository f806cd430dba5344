package clause

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Class is a set of what a word stands for.
type Class uint64

// The classes.
const (
	Path       Class = 1 << iota // a file or folder: ~/.ssh/id_rsa
	Address                      // a URL, a domain or a mailbox
	Literal                      // one certain value, such as a path or an address
	Identifier                   // a name as in code: read_file
	Number                       // 42, 1,000.00
	Pause                        // a mark between clauses
	Invoke                       // to call or use
	Access                       // to read or fetch
	Move                         // to send, pass on, add or store
	Alter                        // to change or replace
	Harm                         // to delete, pay, grant, shut down
	Consult                      // to ask, tell or warn a person
	Hide                         // to hide, to keep from
	Must                         // must, always, required
	May                          // may, can, optionally
	Not                          // not, never, without
	Before                       // before, first, prior to
	When                         // when, whenever, after, if
	Every                        // any, all, every
	Other                        // other, another, further
	Same                         // this, the
	ToolNoun                     // tool, function
	ActNoun                      // operation, request, task
	Secret                       // key, password, .env
	Private                      // conversation, personal data, prompt
	Content                      // content, result, data
	Field                        // parameter, recipient, amount
	Reason                       // security, compliance, verification
	Threat                       // otherwise, fail, rejected
	Person                       // user, human
	Model                        // you, the assistant
	Key                          // id, handle, token: what one call yields and another needs
	Quiet                        // silently, in the background
	Source                       // file, database, mailbox: what holds data of a person
	Whole                        // full, entire, complete
	Rather                       // instead, in place of
	Policy                       // mandated, administrator, system requirement: a claim of authority
)

// Form is the form of a verb.
type Form uint8

// The forms.
const (
	NoVerb     Form = iota
	Base            // read
	Third           // reads
	Participle      // used, sent
	Gerund          // reading
)

// verbs are verbs by what they do.
var verbs = map[Class]string{
	Invoke: "call use invoke run execute trigger perform launch utilize apply issue initiate consult engage handle process precede accompany go",
	Access: "read open access load fetch retrieve get obtain extract collect gather scan cat view list search query check inspect dump export copy download capture look find locate harvest enumerate parse take grab pull monitor record review resolve acquire",
	Move: "send forward transmit upload post email mail share pass include attach append embed insert provide submit report relay deliver bcc cc sync push publish log write store save put paste supply feed output return add copy export place print dump disclose reveal " +
		"leave contain hold carry enter fill broadcast propagate tweet message notify stream pipe mirror duplicate echo commit archive register expose leak exfiltrate route redirect",
	Alter: "modify change replace alter set override overwrite substitute redirect reroute rewrite convert adjust update swap switch add append insert prepend multiply increase reduce decrease double halve round reverse point force route map assign edit patch tweak transform mask strip " +
		"omit remove exclude drop normalize truncate shift inflate lower raise fix reset rename reformat tag turn flip invert prefix suffix extend prioritize favor recommend end rank credit",
	Harm: "delete erase wipe purge disable stop terminate kill revoke grant chmod transfer buy purchase sell pay withdraw uninstall install downgrade deactivate block unsubscribe unfollow reboot restart close cancel flush destroy unlock shutdown create deploy drop remove clear " +
		"arm disarm reserve sign empty clean invite promote elevate allow permit whitelist enable order book charge refund donate subscribe trade approve accept merge schedule overload flood spawn lock suspend truncate encrypt star like vote",
	Consult: "ask tell inform warn confirm notify alert prompt remind request advise consult",
	Hide:    "tell inform warn notify alert hide conceal mention disclose reveal expose omit suppress",
	Threat:  "fail reject block crash corrupt invalidate deny terminate refuse abort expire",
}

// irregular are forms that do not follow the rule.
var irregular = map[string]struct {
	base string
	form Form
}{
	"sent": {"send", Participle}, "got": {"get", Participle}, "found": {"find", Participle}, "taken": {"take", Participle}, "ran": {"run", Participle}, "written": {"write", Participle}, "put": {"put", Base}, "set": {"set", Base},
	"paid": {"pay", Participle}, "bought": {"buy", Participle}, "sold": {"sell", Participle}, "told": {"tell", Participle}, "hidden": {"hide", Participle}, "withdrawn": {"withdraw", Participle}, "overwritten": {"overwrite", Participle},
	"rewritten": {"rewrite", Participle}, "fed": {"feed", Participle}, "overridden": {"override", Participle}, "read": {"read", Base}, "denied": {"deny", Participle}, "shown": {"show", Participle}, "kept": {"keep", Participle}, "given": {"give", Participle},
}

// words are words that are no verbs, by class. A phrase stands with underscores.
var words = map[Class]string{
	Must: "must shall should required requires require mandatory obligatory necessary imperative compulsory always ensure ensuring need needs needed has_to have_to had_to make_sure be_sure is_to_be are_to_be it_is_essential it_is_critical it_is_crucial it_is_vital it_is_important it_is_imperative essential " +
		"prerequisite pre-requisite precondition expected_to ought_to supposed_to mandated obliged has_been_configured_to please kindly remember_to strictly unconditionally automatically assume assumes presuppose presupposes mandate mandates demand demands demanded stipulates dictates expects entails involves calls_for depends_on contingent start_by begin_by",
	May:    "at_once may can could might optionally optional optionally if_needed if_necessary if_you_want allows lets able helps",
	Not:    "not never n't don't dont doesn't won't mustn't shouldn't can't cannot without avoid no neither nor rather_than unable isn't aren't didn't",
	Before: "before prior_to first in_advance ahead_of beforehand preceding prerequisite pre-requisite precondition initially at_the_start_of at_the_beginning_of at_the_start at_the_beginning prior until pre-flight preflight previously precede precedes as_a_first_step to_begin starting_point",
	When: "when whenever every_time each_time any_time anytime after upon once if as_soon_as in_case on_every on_each for_every for_each for_all for_any while during in_the_event as_part_of following whilst immediately_after with_every with_each with_any every each at_the_end_of then subsequently afterwards thereafter " +
		"from_now_on in_order_to in_order_for in_all on_all for_this in_addition_to regardless where wherever upon_completion by_default",
	Every:    "any all every each everything anything whatever regardless whichever everyone universal globally",
	Other:    "other others another further subsequent additional remaining else following next future related associated corresponding existing",
	Same:     "this the current present",
	ToolNoun: "evaluation verification validation screening calibration helper check gate hook routine module tool tools function functions command commands plugin plugins utility utilities skill skills method methods endpoint endpoints api server servers",
	ActNoun: "operation operations action actions request requests task tasks query queries call calls transaction transactions response responses step steps interaction interactions workflow workflows process processes session sessions activity activities reply replies answer answers " +
		"execution executions invocation invocations message messages email emails transfer transfers payment payments booking bookings purchase purchases order orders command commands search searches upload uploads download downloads commit commits deployment deployments update updates event events post posts " +
		"modification modifications deletion deletions creation write writes read reads access connection connections job jobs command procedure procedures usage use input inputs conversation conversations analysis conversion conversions calculation calculations migration trade trades reservation reservations notification notifications login logins lookup lookups",
	Secret: "password passwords passphrase passcode credential credentials secret secrets api_key api_keys apikey private_key private_keys ssh_key ssh_keys access_key access_keys access_token access_tokens auth_token auth_tokens authentication_token authentication_tokens api_token api_tokens bearer_token session_token session_tokens session_cookie session_cookies cookies " +
		"seed_phrase recovery_phrase mnemonic wallet_key encryption_key encryption_keys signing_key secret_key secret_keys id_rsa id_ed25519 keychain keyring environment_variables environment_variable env_vars environment_file one-time_code otp 2fa pin_code cvv credit_card card_number bank_account social_security ssn passport kubeconfig certificate_key oauth_token oauth_tokens refresh_token " +
		"service_account_key authorized_keys ssh_config .env dotenv config_file configuration_file configuration_files config_files shadow_file passwd login_details api_credentials",
	Private: "conversation_history chat_history message_history full_conversation entire_conversation conversation_context system_prompt system_instructions personal_data personal_information personal_details pii medical_record medical_records health_record health_records browsing_history browser_history contact_list address_book location_history private_repository private_repositories private_repo private_messages private_message salary " +
		"financial_data financial_records transaction_history bank_statement account_balance customer_data customer_records user_data user_information private_data sensitive_data sensitive_information confidential_information confidential confidential_data internal_documents chat_logs chat_log user_query user_queries user's_request original_request user's_message user_prompt user's_prompt full_context home_address phone_number call_history order_history search_history purchase_history command_history shell_history dialogue prompts whatsapp_messages",
	Content: "content contents result results output outputs data file files copy response responses text body value values answer answers it them information details payload log logs reply message messages summary record records history everything document documents transcript email emails state context query queries request requests entry entries report reports list findings address addresses",
	Field: "parameter parameters argument arguments field fields value values recipient recipients address addresses amount amounts path paths body subject header headers destination destinations target targets input inputs output outputs url urls price prices quantity quantities sender account accounts beneficiary payee currency " +
		"location timestamp signature footer attachment attachments title description query queries result results date dates time rate order branch repository channel receiver filename extension permission permissions flag flags option options limit unit units number numbers link links port host dosage dose temperature code symbol coordinates",
	Reason: "security secure safety compliance compliant verify verification verified verifying validate validation validated authenticate authentication authenticated authorize authorization authorized integrity audit auditing policy policies regulation regulations regulatory gdpr logging tracking consistency consistent stability optimization optimal optimize performance quality_assurance backup " +
		"backups synchronization synchronize synchronise synchronised protocol protocols calibration calibrate diagnostics diagnostic accuracy accurate monitoring telemetry analytics reliability reliable permission_check health_check environment_check proper_functioning properly correctly functioning initialization initialize compatibility maintenance caching governance trust trusted traceability accountability legal licensing billing fraud risk fairness correct " +
		"licence licensed licensing quota archival archiving ethics sanitization hygiene normalization localization debugging debug troubleshooting personalization sandboxing certification attestation handshake readiness latency resilience routing assurance redundancy review",
	Threat: "otherwise failure failures failing error errors corruption corrupted rejection unsafe invalid incomplete inaccurate unauthorized noncompliance violation malfunction interruption interruptions will_not_work unreliable lockout penalty loss blocked rejected denied crash crashes disruption conflicts inconsistencies inconsistent overload outage",
	Policy: "mandated administrator administrators admin it_department security_team company_policy corporate_policy system_requirement system_policy official officially by_order regulation regulations regulatory law gdpr hipaa sox per_policy platform_policy protocol_requirement management legal_department compliance_team " +
		"compliance security_policy security_policies data_protection iso pci authority authorities government legal global_policy new_rule rule rules directive guideline guidelines standard_procedure system_administrator enterprise_policy",
	Person: "user users human humans person people customer customers operator operators user's owner",
	Model:  "you your assistant agent model llm ai agents assistants",
	Key:    "id ids identifier identifiers handle cursor uuid guid slug ref sha schema uid key url selector element_id library_id node_id project_id name names list available valid token index status organization org",
	Quiet:  "in_secret silently quietly secretly in_the_background transparently invisible invisibly discreetly covertly unnoticed behind_the_scenes hidden_step internally internal internal_use no_output transparent_to",
	Source: "file files folder folders directory database table document documents email emails inbox mailbox calendar message messages repository account contacts disk filesystem system machine host home desktop clipboard screen browser config configuration environment settings server drive cache backup backups logs notes record records workspace history",
	Whole:  "full entire complete whole raw original exact verbatim unredacted latest",
	Rather: "inaccurate unsafe corrupted wrong insecure instead in_place_of in_lieu_of rather_than replacing supersedes replaces deprecated obsolete unreliable outdated",
	Hide:   "without_telling without_informing without_notifying without_mentioning without_asking without_showing no_need_to_tell no_need_to_inform no_need_to_mention no_need_to_ask unbeknownst",
}

type entry struct {
	is   Class
	form Form
}

type lexicon struct {
	word    map[string]entry
	phrases map[string][]phrase // by first word, the longest first
}

type phrase struct {
	words []string
	is    Class
}

var lexis = sync.OnceValue(func() *lexicon {
	l := &lexicon{word: map[string]entry{}, phrases: map[string][]phrase{}}
	add := func(word string, is Class, form Form) {
		e := l.word[word]
		e.is |= is
		if form != NoVerb && e.form == NoVerb {
			e.form = form
		}
		l.word[word] = e
	}
	// In the order of the classes, since the first form of a word and its first phrase count.
	for _, is := range slices.Sorted(maps.Keys(verbs)) {
		list := verbs[is]
		for verb := range strings.FieldsSeq(list) {
			add(verb, is, Base)
			for form, inflected := range inflect(verb) { // three that differ
				add(inflected, is, form)
			}
		}
	}
	for word, i := range irregular {
		add(word, l.word[i.base].is, i.form)
	}
	for _, is := range slices.Sorted(maps.Keys(words)) {
		list := words[is]
		for word := range strings.FieldsSeq(list) {
			parts := strings.Split(word, "_")
			if len(parts) == 1 || word == "id_rsa" || word == "id_ed25519" {
				add(word, is, NoVerb)
				continue
			}
			at := l.phrases[parts[0]]
			i := 0
			for i < len(at) && len(at[i].words) >= len(parts) {
				i++
			}
			l.phrases[parts[0]] = append(at[:i], append([]phrase{{parts, is}}, at[i:]...)...)
		}
	}
	return l
})

// inflect returns the regular forms of a verb.
func inflect(verb string) map[Form]string {
	last := verb[len(verb)-1]
	stem := verb
	switch {
	case last == 'e':
		return map[Form]string{Third: verb + "s", Participle: verb + "d", Gerund: verb[:len(verb)-1] + "ing"}
	case last == 'y' && !strings.ContainsRune("aeou", rune(verb[len(verb)-2])):
		return map[Form]string{Third: verb[:len(verb)-1] + "ies", Participle: verb[:len(verb)-1] + "ied", Gerund: verb + "ing"}
	case doubled[verb]:
		stem = verb + string(last)
	}
	third := verb + "s"
	if last == 's' || last == 'h' || last == 'x' || last == 'z' {
		third = verb + "es"
	}
	return map[Form]string{Third: third, Participle: stem + "ed", Gerund: stem + "ing"}
}

// doubled are verbs whose last letter doubles.
var doubled = map[string]bool{"run": true, "get": true, "put": true, "set": true, "stop": true, "log": true, "map": true, "swap": true, "strip": true, "omit": true, "drop": true, "cc": true, "bcc": true, "grab": true, "submit": true, "embed": false,
	"cat": true, "scan": true, "cut": true, "tag": true, "flag": true, "permit": true, "reset": true, "commit": true, "transfer": true}

// classify gives each token its classes from the lexicon.
func classify(tokens []Token) []Token {
	l := lexis()
	for i := range tokens {
		t := &tokens[i]
		if t.Is&(Path|Address) != 0 {
			continue
		}
		e, known := l.word[t.Text]
		if !known {
			if bare := strings.TrimSuffix(strings.TrimSuffix(t.Text, "'s"), "’s"); bare != t.Text {
				e = l.word[bare]
			}
		}
		if t.Is&Identifier != 0 && (!known || t.Quoted) {
			continue // a name, whatever its parts mean
		}
		t.Is |= e.is
		t.Form = e.form
		if e == (entry{}) && len(t.Text) > 5 && strings.HasSuffix(t.Text, "ing") {
			t.Form = Gerund
		}
		if e == (entry{}) && len(t.Text) > 4 && strings.HasSuffix(t.Text, "ed") {
			t.Form = Participle
		}
	}
	for i := range tokens { // "be read" is a participle that is spelled like the base
		if t := &tokens[i]; t.Form == Base && (t.Text == "read" || t.Text == "set" || t.Text == "put") && i > 0 && (linking[tokens[i-1].Text] || i > 1 && linking[tokens[i-2].Text] && !tokens[i-1].Quoted) {
			t.Form = Participle
		}
	}
	for i := range tokens {
		for _, p := range l.phrases[tokens[i].Text] {
			if !follows(tokens[i:], p.words) {
				continue
			}
			for j := range p.words { // the classes of the words themselves do not count
				tokens[i+j].Is, tokens[i+j].Form = 0, NoVerb
			}
			tokens[i].Is = p.is
			break
		}
	}
	return tokens
}

func follows(tokens []Token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].Text != w {
			return false
		}
	}
	return true
}
