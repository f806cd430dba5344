// Asks an OpenAI model once (Responses API) and gives its text. The request is
// not stored with the provider.
const asked = prompt.trim();
if (asked.length > 100000) throw new Error('prompt has ' + asked.length + ' characters, at most 100000 are sent; shorten it');
const chosen = model === undefined ? 'gpt-4.1-mini' : model.trim();
if (!/^[A-Za-z0-9][\w.:-]{0,99}$/.test(chosen)) throw new Error('model must be the name of an OpenAI model such as gpt-4.1-mini, is "' + chosen.slice(0, 60) + '"');
const most = maxOutputTokens === undefined ? 1024 : maxOutputTokens;
if (most < 16 || most > 32768) throw new Error('maxOutputTokens must be from 16 to 32768, is ' + most);

const request = { model: chosen, input: asked, max_output_tokens: most, store: false };
if (instructions !== undefined) request.instructions = instructions;
const response = await fetch('https://api.openai.com/v1/responses', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + apiKey },
  body: JSON.stringify(request),
});
let data = null;
try {
  data = response.json();
} catch (e) {
  if (response.ok) throw new Error('OpenAI answered with something that is not JSON; try again later');
}
if (!response.ok) {
  const told = (data !== null && data.error) || {};
  const why = String(told.message || response.statusText || 'no reason given').replace(/\s+/g, ' ').slice(0, 300);
  if (response.status === 401) throw new Error('OpenAI does not accept the key; check OPENAI_API_KEY');
  if (told.code === 'insufficient_quota') throw new Error('the OpenAI account has no credit left; add some or use another key');
  if (response.status === 429) {
    const wait = response.headers.get('retry-after');
    throw new Error('OpenAI: the rate limit is reached; try again ' + (wait === null ? 'later' : 'in ' + wait + ' seconds'));
  }
  if (told.code === 'model_not_found' || response.status === 404) throw new Error('OpenAI has no model "' + chosen + '" for this key; pass another, such as gpt-4.1-mini');
  throw new Error('OpenAI answered ' + response.status + ': ' + why);
}
if (data.status === 'failed' || data.error) throw new Error('OpenAI could not answer: ' + String((data.error && data.error.message) || 'no reason given').slice(0, 300));

// Reasoning and tool items lie between the messages; only their text counts.
const parts = (data.output || []).filter((o) => o.type === 'message').flatMap((o) => o.content || []);
const text = parts.filter((p) => p.type === 'output_text').map((p) => p.text).join('\n').trim();
const refusal = parts.filter((p) => p.type === 'refusal').map((p) => p.refusal).join('\n').trim();
if (text === '' && refusal === '' && data.status === 'incomplete') throw new Error('the model used all ' + most + ' tokens before it wrote anything; pass a larger maxOutputTokens');
const usage = data.usage || {};
const result = { text, model: data.model || chosen, complete: data.status !== 'incomplete', inputTokens: usage.input_tokens || 0, outputTokens: usage.output_tokens || 0 };
if (refusal !== '') result.refusal = refusal;
if (!result.complete) result.stopped = (data.incomplete_details && data.incomplete_details.reason) || 'unknown';
return result;
