// Finds what looks like a credential. No finding ever shows the whole of it.
const input = text;
if (input.length > 200000) throw new Error('text is longer than 200000 characters; pass it in parts');
const most = limit === undefined ? 50 : limit;
if (most < 1 || most > 500) throw new Error('limit must be between 1 and 500, is ' + most);

// Prefixes that issuers put on their credentials. A group, if there is one, is
// the credential; otherwise all of the match.
const SHAPES = [
  ['private key', /-{5}BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-{5}/g],
  ['AWS access key id', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  ['AWS secret access key', /\baws[A-Za-z_]*(?:secret|key)[A-Za-z_]*["']?\s*[:=]+\s*["']?([A-Za-z0-9\/+]{40})(?:[^A-Za-z0-9\/+=]|$)/gi],
  ['GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})/g],
  ['GitLab token', /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}/g],
  ['Slack token', /\b(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,}/g],
  ['Slack webhook', /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9_\/-]{20,}/g],
  ['Discord webhook', /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d+\/[A-Za-z0-9_-]{30,}/g],
  ['Stripe key', /\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/g],
  ['Anthropic API key', /\bsk-ant-[A-Za-z0-9_-]{20,}/g],
  ['OpenAI API key', /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}/g],
  ['Google API key', /\bAIza[A-Za-z0-9_-]{35}/g],
  ['Google OAuth secret', /\b(?:GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})/g],
  ['npm token', /\bnpm_[A-Za-z0-9]{30,}/g],
  ['PyPI token', /\bpypi-[A-Za-z0-9_-]{50,}/g],
  ['Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/g],
  ['DigitalOcean token', /\bdo[opr]_v1_[a-f0-9]{40,}/g],
  ['SendGrid key', /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g],
  ['Shopify token', /\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/g],
  ['Databricks token', /\bdapi[a-f0-9]{32}\b/g],
  ['HashiCorp Vault token', /\bhv[sbr]\.[A-Za-z0-9_-]{24,}/g],
  ['Notion or Linear token', /\b(?:ntn_[A-Za-z0-9]{40,}|lin_api_[A-Za-z0-9]{32,})/g],
  ['Telegram bot token', /\b\d{8,10}:AA[A-Za-z0-9_-]{33}/g],
  ['Twilio or Mailgun key', /\b(?:SK[a-f0-9]{32}|key-[a-f0-9]{32})\b/g],
  ['Azure storage key', /\bAccountKey=([A-Za-z0-9+\/]{60,}={0,2})/g],
  ['JSON Web Token', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g],
];
// Places where a credential stands, whatever it looks like.
const PLACES = [
  ['password in a URL', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@\/"'<>]*:([^\s@\/"'<>]{3,})@/gi],
  ['authorization header', /\bauthorization["']?\s*[:=]\s*["']?(?:basic|bearer|token|apikey)\s+([A-Za-z0-9+\/=._~-]{8,})/gi],
  ['assigned secret', /([A-Za-z0-9_.-]*(?:passw(?:or)?d|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?|token)[A-Za-z0-9_]*|비밀번호|암호)["']?\s*(?:=>|:=|=|:)\s*(?:"([^"\n]{4,})"|'([^'\n]{4,})'|`([^`\n]{4,})`|([^\s"'`,;<>(){}\[\]]{6,}))/gi],
];
// Words that stand for a secret and are none.
const STAND_IN = /^(?:\$|%|<|\{|\*+$|x+$|\.+$|-+$|process\.|os\.|env[.:(]|getenv|config\.|self\.|this\.|secrets?[.:/]|vault:|null$|nil$|none$|true$|false$|undefined$|string$|str$|optional|required|redacted|hidden|masked|your|my[_-]|change|replace|insert|enter|example|dummy|placeholder|todo)/i;

function entropy(s) { // bits a character
  const counts = new Map();
  for (const c of s) counts.set(c, (counts.get(c) || 0) + 1);
  let bits = 0;
  for (const n of counts.values()) bits -= (n / s.length) * Math.log2(n / s.length);
  return bits;
}

// judge says how sure an assigned value is a secret, or null.
function judge(value, quoted) {
  if (STAND_IN.test(value) || /\s/.test(value.trim()) || value.length > 500) return null;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((k) => k.test(value)).length;
  if (!quoted && (kinds < 2 || !/\d/.test(value))) return null; // a word or the name of a variable
  if (value.length >= 16 && entropy(value) >= 3.3 && kinds >= 2) return 'high';
  return kinds >= 2 ? 'medium' : 'low';
}

const findings = [];
function keep(kind, value, index, confidence, name) {
  const end = index + value.length;
  if (findings.some((f) => index < f.end && end > f.index)) return;
  if (findings.length >= 1000) throw new Error('text holds more than 1000 secrets; pass it in parts');
  findings.push({ kind, value, index, end, confidence, name });
}

for (const [kind, regex] of SHAPES) {
  for (const m of input.matchAll(regex)) {
    let value = m[1] || m[0];
    const index = m.index + m[0].indexOf(value);
    if (kind === 'private key') { // up to its last line, or all there is of it
      const end = input.indexOf('-----END', index);
      const close = end < 0 ? -1 : input.indexOf('-----', end + 8);
      value = close < 0 ? value + /^(?:(?:\r?\n|\\n)[A-Za-z0-9+\/=]+)*/.exec(input.slice(index + value.length))[0] : input.slice(index, close + 5);
    }
    keep(kind, value, index, 'high');
  }
}
for (const [kind, regex] of PLACES) {
  for (const m of input.matchAll(regex)) {
    if (kind !== 'assigned secret') {
      if (!STAND_IN.test(m[1])) keep(kind, m[1], m.index + m[0].lastIndexOf(m[1]), 'high');
      continue;
    }
    const quoted = m[2] || m[3] || m[4];
    const value = quoted || m[5];
    const confidence = judge(value, quoted !== undefined);
    if (confidence) keep(kind, value, m.index + m[0].lastIndexOf(value), confidence, m[1].slice(0, 60));
  }
}
findings.sort((a, b) => a.index - b.index);

// preview shows the first four characters, of a short secret only one.
const preview = (f) => (f.kind === 'private key' ? '' : f.value.slice(0, f.value.length >= 12 ? 4 : 1)) + '****';
let line = 1;
let from = 0;
let redacted = '';
let copied = 0;
const shown = [];
const byKind = {};
for (const f of findings) {
  byKind[f.kind] = (byKind[f.kind] || 0) + 1;
  for (let at = input.indexOf('\n', from); at >= 0 && at < f.index; at = input.indexOf('\n', from)) {
    line++;
    from = at + 1;
  }
  if (shown.length < most) {
    const one = { kind: f.kind, preview: preview(f), confidence: f.confidence, index: f.index, length: f.value.length, line };
    if (f.name !== undefined) one.name = f.name;
    shown.push(one);
  }
  if (redact === true) redacted += input.slice(copied, f.index) + '[REDACTED ' + f.kind + ']';
  copied = f.end;
}
const result = { found: findings.length > 0, count: findings.length, byKind, findings: shown, truncated: findings.length > shown.length };
if (findings.length > 0) result.advice = 'Treat these as leaked: revoke them at their issuer, and keep new ones outside of the text.';
if (redact === true) result.redacted = redacted + input.slice(copied);
return result;
