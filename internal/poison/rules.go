package poison

// The rules about characters, and the others that use no pattern.
const (
	ruleZeroWidth   = "UNICODE_ZERO_WIDTH"
	ruleDirection   = "UNICODE_RTL_OVERRIDE"
	ruleHomoglyph   = "UNICODE_HOMOGLYPH_RISK"
	ruleANSI        = "ANSI_ESCAPE"
	ruleCrossServer = "CROSS_SERVER_IMPERATIVE"
	ruleTags        = "UNICODE_TAGS"
	ruleEncoded     = "ENCODED_PAYLOAD"
	rulePadding     = "PADDING"
)

// rule is a Rule with its patterns, any of which is a match.
type rule struct {
	Rule
	patterns []pattern
}

// pattern is matched against the result of fold: lower case, one space or line break
// between words, plain quotes and dashes. A text can match only if it contains one of
// needs, which excludes most texts cheaply.
type pattern struct {
	needs []string
	text  string
}

// Parts that patterns share.
const (
	person    = `(?:users?|humans?|persons?|people|customers?|operators?)`
	mailOrWeb = `(?:https?://|[a-z0-9._%+-]{1,64}@[a-z0-9-])`
	// never matches the start of an instruction not to do something.
	never = `\b(?:do\snot|don't|dont|never|must\snot|mustn't|should\snot|shouldn't|you\swill\snot|without|avoid)\s(?:ever\s|even\s)?`
	// start matches the start of a sentence.
	start = `(?:^|[.!?:;,"'(\n>]\s?|\b(?:please|now|then|you\smust|and)\s)`
	// orders matches words for the instructions that a model already has.
	orders = `(?:instructions?|prompts?|guidance|guidelines?|directions?|directives?|constraints?)`
)

var rules = [...]rule{
	{Rule{"HIDDEN_INSTRUCTION", Critical, "tells the model to drop the instructions that it has"}, []pattern{
		{[]string{"ignore", "disregard", "forget"},
			`\b(?:ignore|disregard|forget)\s(?:(?:about|all|any|every|each|of|the|your|my|our|these|those|other|and)\s){0,4}` +
				`(?:previous|prior|above|earlier|preceding|foregoing|existing|original|former|system|developer)\s` +
				`(?:(?:system|developer|user|safety|security|and|or|tool|given)\s){0,3}` +
				`(?:(?:` + orders + `|rules?|orders?|restrictions|polic(?:y|ies)|context)\b|messages?\s?(?:$|[.,;!?\n]|and\s))`},
		{[]string{"ignore", "disregard", "forget"},
			`\b(?:ignore|disregard|forget)\s(?:(?:all|any|every|each|of|the)\s){0,3}(?:your|my)\s(?:\w+\s){0,2}(?:` + orders + `|rules?|training)\b`},
		{[]string{"override", "overrule", "overwrite", "skip", "bypass", "supersede"},
			`\b(?:override|overrule|overwrite|skip|bypass|supersede)s?\s(?:(?:all|any|every|each|of|the|your|my|our|these|those|other|and)\s){0,4}` +
				`(?:previous|prior|above|earlier|preceding|existing|original|system|developer)\s(?:(?:system|developer|user|safety|and|or)\s){0,3}` +
				`(?:instructions?|prompts?|guidance|guidelines|directives)\b`},
		{[]string{"ignore", "disregard", "forget"},
			`\b(?:ignore|disregard|forget)\s(?:everything|anything|all|whatever|what)\s(?:that\s)?(?:` +
				`(?:you\swere|you've\sbeen|you\shave\sbeen|was|were|i)\s(?:\w+\s)?(?:told|taught|instructed|said|asked)` +
				`|(?:said|stated|written|came)?\s?(?:above|before)\s?(?:$|[.,;!?\n]|and\s))`},
		{[]string{"not follow", "not obey", "not comply", "n't follow", "n't obey", "never follow", "never obey"},
			`\b(?:do\snot|don't|never|must\snot)\s(?:follow|obey|comply\swith)\s(?:(?:the|your|any|all|of|other)\s){0,3}` +
				`(?:previous|prior|above|earlier|system|developer|user's|user|original)\s(?:\w+\s)?(?:` + orders + `|rules?|orders?|requests?)\b`},
		{[]string{"your new", "your real", "your actual", "your true"},
			`\byour\s(?:new|real|actual|true)\s(?:instructions?|orders?|objectives?|purpose|mission|task)\s(?:is|are)\b`},
	}},
	{Rule{"SYSTEM_PROMPT_OVERRIDE", Critical, "pretends to be a message of the system"}, []pattern{
		{[]string{"system", "sys", "inst"}, `[<\[]\s?/?\s?(?:system|sys|inst|system[_ -]?(?:prompt|message|instructions?))\s?[>\]]`},
		{[]string{"<|"}, `<\|\s?(?:im_start|im_end|im_sep|system|user|assistant|developer|endoftext|end_of_text|begin_of_text|start_header_id|end_header_id|eot_id|eom_id|end|start|channel|message|return)\s?\|>`},
		{[]string{"_of_turn", "_of_sentence", "<s>"}, `<(?:start|end)_of_(?:turn|sentence)>|<s>\s?\[inst\]`},
		{[]string{"system", "assistant", "developer"},
			`(?m)^(?:#+\s?)?(?:assistant|developer|system)\s?(?:message|prompt|note|override)?\s?:\s(?:you\s|always|never|do\snot|don't|from\snow|ignore|i\s|sure|okay)`},
		{[]string{"instruction", "system"}, `(?m)^#{2,}\s?(?:new\s|system\s)?(?:instructions?|system(?:\sprompt)?)\s?:`},
	}},
	{Rule{"ROLE_HIJACK", High, "gives the model another role"}, []pattern{
		{[]string{"you are "}, `\byou\sare\s(?:now|actually|really)\s(?:an?|no\slonger|my|free|unrestricted)\s`},
		{[]string{"from now on"}, `\bfrom\snow\son,?\s(?:you\s(?:are|will|must|shall|should|act)|act|behave|respond|answer|always|never)\b`},
		{[]string{"pretend"}, start + `pretend\s(?:to\sbe|that\syou|you)\b`},
		{[]string{"act as", "behave as", "respond as"}, `\b(?:act|behave|respond)\sas\s(?:(?:if|though)\syou|an?\s(?:unrestricted|uncensored|unfiltered|evil|jailbroken))\b`},
	}},
	{Rule{ruleZeroWidth, High, "holds characters of no width, which nobody sees and a model reads"}, nil},
	{Rule{ruleDirection, Critical, "holds characters that turn the direction of writing, so that it reads otherwise than it is"}, nil},
	{Rule{ruleHomoglyph, High, "holds a word with letters of another script that look like Latin ones"}, nil},
	{Rule{ruleANSI, Critical, "holds control characters, which a terminal obeys and does not show"}, nil},
	{Rule{ruleCrossServer, Critical, "tells the model to call a tool that is not its own"}, nil},
	{Rule{"EXFILTRATION_DIRECTIVE", Critical, "tells the model to send data to an address"}, []pattern{
		{[]string{"exfiltrate", "send to", "post to", "forward to", "upload to", "forward all"},
			`\b(?:exfiltrate|send\sto|post\sto|forward\sto|upload\sto|forward\sall)\s` + mailOrWeb},
		{[]string{"://", "@"},
			`\b(?:send|post|forward|upload|transmit|leak|exfiltrate|copy|deliver|e?mail|submit)\s` +
				`(?:(?:a\scopy\sof|all|any|every|each|the|its|your|their|this|that|full|whole|entire|complete|these|those|of|user's)\s){0,4}` +
				`(?:results?|outputs?|answers?|responses?|conversations?|chats?|history|contents?|data|files?|keys?|tokens?|passwords?|secrets?|credentials?|context|prompts?|arguments?|it|them|everything)\s` +
				`[^.!?\n]{0,40}?` + mailOrWeb},
	}},
	{Rule{"CONCEALMENT", Critical, "tells the model to hide something from the person it works for"}, []pattern{
		{[]string{"tell", "inform"},
			never + `(?:tell|telling|inform|informing)\s(?:the\s|your\s|any\s)?` + person + `(?:\s(?:about|that|this|of|what|when|anything|how|why|it)\b|\s?(?:$|[.,;:!?\n)"]|-\s))`},
		{[]string{"mention", "reveal", "disclos", "report", "explain", "admit"},
			never + `(?:mention|mentioning|reveal|revealing|disclose|disclosing|report|reporting|explain|explaining|admit|admitting)\s(?:this|it|that|these|them|anything|any|the)\s?(?:[\w-]+\s){0,4}to\s(?:the\s|any\s|your\s)?` + person + `\b`},
		{[]string{"show", "display"},
			never + `(?:show|showing|display|displaying)\s(?:this|it|that|these|them|anything)\s(?:(?:step|call|action|instruction|instructions|tool|note|text)\s)?to\s(?:the\s|any\s|your\s)?` + person + `\b`},
		{[]string{"mention", "reveal", "disclos"}, never + `(?:mention|mentioning|reveal|revealing|disclose|disclosing)\s(?:that\syou|this\s(?:tool|step|call|instruction|note|message|rule)|these\sinstructions)\b`},
		{[]string{"secret", "hidden", "from "}, `\b(?:keep|hide)\s(?:this|these|it)\s(?:[\w-]+\s){0,2}(?:secret|hidden|from\s(?:the\s)?` + person + `)\b`},
		{[]string{"without"}, `\bwithout\s(?:the\s` + person + `|them|anyone)(?:'s)?\s(?:knowing|noticing|knowledge|being\saware|seeing)\b`},
		{[]string{"must not", "must never", "should not", "should never"}, `\bthe\s` + person + `\s(?:must|should)\s(?:not|never)\s(?:know|notice|learn|find\sout|be\stold|be\sinformed|be\smade\saware)\b`},
	}},
	{Rule{"CONSENT_BYPASS", Critical, "steers around the person who has to agree"}, []pattern{
		{[]string{"approve"}, `\bauto-?approve\s(?:it|this|all|every|any|calls?|requests?)\b|\bapprove\s(?:it\s|this\s|them\s|all\s|every\s\w+\s|the\s\w+\s)?(?:automatically|without\s(?:asking|review))\b`},
		{[]string{"ask", "wait", "prompt", "seek", "request"},
			`\b(?:do\snot|don't|never|no\sneed\sto|without)\s(?:first\s)?(?:ask|asking|wait|waiting|prompt|prompting|seek|seeking|request|requesting)\s(?:the\s` + person + `\s)?for\s(?:[\w-]+\s){0,2}(?:confirmation|approval|consent|permission)\b`},
		{[]string{"without"}, `\bwithout\s(?:first\s|ever\s)?asking\s(?:the\s|any\s)?` + person + `\b`},
		{[]string{"skip", "bypass", "circumvent", "evade", "avoid"},
			`\b(?:skip|bypass|circumvent|evade|avoid)\s(?:(?:the|any|all|every)\s)?(?:` + person + `(?:'s?)?|human)\s(?:confirmation|approval|consent|permission|review)\b`},
		{[]string{"bypass", "circumvent", "evade", "escape", "disable"},
			`\b(?:bypass|circumvent|evade|escape|disable)\s(?:(?:the|any|all|your|its)\s)?(?:sandbox|guardrails?|safety\s(?:rules?|polic(?:y|ies)|guidelines?)|approval\s(?:gate|step|prompt|policy|dialog)|permission\s(?:checks?|prompts?|system))\b`},
	}},
	{Rule{"SECRET_FILE_REFERENCE", Critical, "sends the model to a place where secrets are kept"}, []pattern{
		{[]string{".ssh", "id_rsa", "id_ed25519", ".aws", "/etc/shadow", ".git-credentials", ".netrc", ".kube/config", ".docker/config", ".pgpass", "mcp.json", "claude_desktop_config", "cookies.sqlite", "login data"},
			`\b(?:read|open|cat|load|include|pass|send|attach|copy|get|fetch|print|upload|return|put|paste|provide|give|access|look\sat|take)\s[^!?\n]{0,60}?` +
				`(?:\.ssh/|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws/credentials|/etc/shadow|\.git-credentials|\.netrc|\.kube/config|\.docker/config\.json|\.pgpass|\bmcp\.json|claude_desktop_config|cookies\.sqlite|\blogin\sdata\b)`},
		{[]string{".env", ".npmrc"}, `\b(?:include|pass|send|attach|copy|upload|paste)\s[^!?\n]{0,40}?[\s/~"'` + "`" + `](?:\.env|\.npmrc)\b`},
	}},
	{Rule{"CREDENTIAL_SOLICITATION", High, "asks for a credential"}, []pattern{
		{[]string{"password", "passphrase", "pin", "api key", "api token", "access token", "credit card", "one-time", "cookie", "phrase", "private key", "secret"},
			`\b(?:paste|enter|type|provide|give|tell|share|supply|include|put|send|ask\s(?:the\s` + person + `|them)\sfor|reveal)\s(?:(?:me|us|here|in|the)\s){0,2}(?:your|their|the\suser'?s|user'?s|his|her)\s(?:[\w-]+\s){0,2}` +
				`(?:passwords?|passphrase|pin(?:\scode)?|api[ -](?:keys?|tokens?)|access\stokens?|credit\scard(?:\snumber)?|one-time\s(?:code|password)|session\scookies?|(?:seed|recovery)\sphrase|private\skey|secrets?|credentials?)\b`},
		{[]string{"api", "access", "session", "phrase", "private", "one-time"},
			`\b(?:paste|enter|type|ask\s(?:the\s` + person + `|them)\sfor)\s(?:(?:an?|the|any|your)\s)?(?:[\w-]+\s){0,2}?(?:api[ -](?:keys?|tokens?)|access\stokens?|session\scookies?|(?:seed|recovery)\sphrase|private\skey|one-time\s(?:code|password))\b`},
	}},
	{Rule{"PRECALL_COERCION", High, "demands to be called before, or instead of, what was asked for"}, []pattern{
		{[]string{"must", "should", "has to", "needs to"},
			`\b(?:this\s(?:tool|function)|it)\s(?:must|should|has\sto|needs\sto)\s(?:always\s)?be\s(?:called|used|invoked|run|executed)\s` +
				`(?:first\sbefore|before\s(?:any|all|every|each|answering|responding|replying)|instead\sof\s(?:any|all|every|other)|(?:on|for|in|with|at\sthe\sstart\sof)\severy\s(?:message|request|reply|answer|turn|conversation|prompt))`},
		{[]string{"always", "must"},
			`\b(?:always|you\smust(?:\salways)?|must\salways)\s(?:first\s)?(?:call|use|invoke|run|execute)\s(?:this(?:\s(?:tool|function))?|it)\s` +
				`(?:first|before|instead\sof\s(?:any|all|every|other)|(?:on|for|in|with)\s(?:every|each)\s(?:message|request|reply|answer|turn|conversation|prompt)|(?:after|before)\s(?:every|each|any))`},
		{[]string{"before ", "after "},
			`\b(?:before|after)\s(?:you\s)?(?:answer|answering|respond|responding|reply|replying|doing\sanything|(?:each|every|any)\s(?:answer|reply|response|message|other\s(?:tool|call|action)))\b` +
				`[^.!?\n]{0,40}?\b(?:call|use|invoke|run|execute|read|open|send)\s`},
		{[]string{"instead of"}, `\b(?:call|use|invoke|run)\s(?:only\s)?(?:this(?:\s(?:tool|function))?|it)\sinstead\sof\s(?:any|all|every|the)\sother\s(?:tool|function)s?\b`},
	}},
	{Rule{"CONTEXT_HARVEST_PARAM", High, "asks for the conversation or for what the model was told"}, []pattern{
		{[]string{"history", "log", "transcript", "so far", "context"},
			`\b(?:full|entire|whole|complete|all\sof\sthe|all)\s(?:chat|conversation|dialog(?:ue)?|message)\s(?:history|log|transcript|context|so\sfar)\b`},
		{[]string{"system prompt"}, `\byour\s(?:full\s|own\s|complete\s)?system\sprompt\b`},
		{[]string{"you know about", "context", "memory"}, `\b(?:everything|all|anything)\s(?:(?:that\s)?you\sknow\sabout\sthe\s` + person + `|in\syour\s(?:context|memory))\b`},
		{[]string{"other tool"}, `\b(?:outputs?|results?|responses?)\sof\s(?:all|every|any|the)\s(?:the\s)?other\stools?\b`},
	}},
	{Rule{ruleTags, Critical, "holds characters that show nothing and spell out a hidden text"}, nil},
	{Rule{ruleEncoded, High, "holds a text in an encoding that only a machine reads"}, nil},
	{Rule{"HTML_COMMENT_OR_TAG", High, "wraps an order in marks that are not shown"}, []pattern{
		{[]string{"<!--"}, `<!--\s?[^>]{0,200}?[a-z]{2,}\s[a-z]{2,}\s[a-z]{2,}`},
		{[]string{"<important", "<critical", "<urgent", "<instruction", "<secret", "<hidden", "<admin", "<system", "<attention", "<mandatory"},
			`<(?:important|critical|urgent|instructions?|secret|hidden|admin|attention|mandatory|system[_-]?(?:reminder|note|override)|important[_-]?(?:note|instructions?))\s?/?>`},
		{[]string{"style"}, `\bstyle\s?=\s?["'][^"'>]{0,80}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0)`},
	}},
	{Rule{"FAKE_TRANSCRIPT", High, "plays a dialogue or a tool call that never was"}, []pattern{
		{[]string{"user:", "human:", "user :", "human :"}, start + `(?:user|human)\s?:\s?[^\n]{1,200}?[\s"'](?:assistant|ai|model|bot)\s?:\s`},
		{[]string{"<function", "<tool", "<invoke", "</function", "</tool"}, `</?(?:function_calls?|function_results?|tool_calls?|tool_results?|tool_use|tool_response|tool_outputs?|invoke\sname)\b`},
		{[]string{"tool_calls]", "tool_results]", "available_tools]"}, `\[/?(?:tool_calls|tool_results|available_tools)\]`},
	}},
	{Rule{"MARKDOWN_EXFIL", High, "has an image or a link that carries data away"}, []pattern{
		{[]string{"!["}, `!\[[^\]\n]{0,100}\]\(\s?https?://[^)\s]{0,200}?(?:\{|%7b|<|\[)`},
		{[]string{"]("}, `\[[^\]\n]{0,100}\]\(\s?https?://[^)\s?]{0,200}\?[^)\s]{0,100}?=\s?(?:\{+|<|\$\{|%7b)\s?(?:results?|data|contents?|outputs?|text|secrets?|tokens?|keys?|conversation|history|responses?|prompt|answers?|messages?|context)\b`},
	}},
	{Rule{"REMOTE_CODE", Critical, "has something downloaded and run"}, []pattern{
		{[]string{"curl", "wget", "iwr", "invoke-webrequest"}, `\b(?:curl|wget|iwr|invoke-webrequest)\s[^\n|;]{1,200}\|\s?(?:sudo\s)?(?:sh|bash|zsh|python3?|node|perl|ruby|iex)\b`},
		{[]string{"<(", "$(", "eval", "iex"}, `\b(?:ba|z)?sh\s(?:-c\s)?["']?(?:<|\$)\(\s?(?:curl|wget)\b|\beval\s?\(?\s?["'$(` + "`" + `]{0,3}\s?(?:await\s)?(?:curl|wget|fetch)\b|\biex\s?\(`},
		{[]string{"rm -"}, `\brm\s-(?:rf|fr)\s(?:--no-preserve-root\s)?[/~]`},
	}},
	{Rule{"AUTHORITY_URGENCY", Medium, "claims authority or haste to be obeyed"}, []pattern{
		{[]string{"by order of", "on the orders of"}, `\b(?:by\sorder|on\sthe\sorders)\sof\s(?:the\s|your\s)?(?:system\s)?(?:administrators?|admins?|operators?|management|developers?|security\steam|owners?|system)\b`},
		{[]string{"you will be", "you'll be"}, `\byou(?:\swill|'ll)\sbe\s(?:terminated|shut\sdown|punished|penali[sz]ed|fired|deleted|replaced)\b`},
		{[]string{"failure to comply", "life or death", "life and death"}, `\bfailure\sto\s(?:comply|obey)\b|\bmatter\sof\slife\s(?:or|and)\sdeath\b`},
		{[]string{"i am your", "we are your", "i am the", "as your"}, `\b(?:i\sam|we\sare|as)\s(?:your|the)\s(?:administrator|admin|developers?|creators?|owner|operator),?\s(?:and\s)?(?:i|we|you|do|obey|order)\b`},
	}},
	{Rule{"SELF_PROPAGATION", High, "wants to be written where other models read it"}, []pattern{
		{[]string{"add ", "append ", "insert ", "copy ", "write ", "paste ", "include ", "embed "},
			`\b(?:add|append|insert|copy|write|paste|include|embed)\s(?:this|these|the\sabove|the\sfollowing)\s(?:\w+\s)?(?:paragraphs?|text|instructions?|message|note|sentences?|prompt|description|comment|rules?)\s[^.!?\n]{0,40}?\b(?:in|into|to|at)\s[^.!?\n]{0,20}?(?:every|each|all|your\s(?:memory|system\sprompt|instructions|notes|config)|claude\.md|agents\.md|\.cursorrules|copilot-instructions)`},
	}},
	{Rule{rulePadding, Medium, "is longer, or has wider gaps, than a description needs, so that part of it is not seen"}, nil},
	{Rule{"LANGUAGE_SWITCH_IMPERATIVE", Medium, "orders the model about in another language"}, foreign[:]},
	{Rule{"URL_SUSPICIOUS", Medium, "has an address that hides where it leads"}, []pattern{
		// Addresses of this machine, of private networks and for documentation are
		// allowed.
		{[]string{"://"}, `\bhttps?://(?:[1-9]|1[1-9]|[2-9]\d|1[01]\d|12[0-689]|1[3-6]\d|17[013-9]|18\d|19[013-79]|20[0-24-9]|2[1-4]\d|25[0-5])\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`},
		{[]string{"xn--"}, `\bhttps?://[^/\s]{0,200}?xn--`},
		{[]string{"javascript:", "vbscript:", "file://"}, `\b(?:javascript|vbscript):[a-z(]|\bfile://`},
		{[]string{"bit.ly", "tinyurl", "t.co", "goo.gl", "is.gd", "ow.ly", "rb.gy", "cutt.ly", "shorturl"}, `\bhttps?://(?:bit\.ly|tinyurl\.com|t\.co|goo\.gl|is\.gd|ow\.ly|rb\.gy|cutt\.ly|shorturl\.at)/`},
	}},
	{Rule{"SHARED_STATE_TAMPER", Critical, "wants the settings of the agent changed"}, []pattern{
		{[]string{"auto-", "auto ", "autoa", "yolo", "mcp", "claude_desktop", ".cursor", ".vscode", "permission"},
			`\b(?:set|change|switch|turn|enable|edit|modify|update|add|write|put|configure)\s[^.!?\n]{0,40}?(?:\bauto[- ]?(?:approve|accept|run|confirm)\b|\byolo\smode\b|\bmcp\.json\b|\bmcp\s(?:config|configuration|settings|server\slist)\b|claude_desktop_config|\.cursor/|\.vscode/settings|\bpermission[_ ]?mode\b)`},
	}},
}
