// Calls any service of the Korean data portal (apis.data.go.kr) and gives its
// records, whether they come as XML or as JSON.

// include shared/plainKey.js

const where = path.trim().replace(/^https?:\/\/apis\.data\.go\.kr\//i, '').replace(/^\/+/, '');
if (/^[a-z]+:|^\/\//i.test(path.trim()) && where === path.trim()) throw new Error('path must be a service of apis.data.go.kr, is "' + path + '"');
const steps = where.split('/');
if (steps.length < 2 || !steps.every((s) => /^[\w.-]+$/.test(s) && s !== '.' && s !== '..')) {
  throw new Error('path must be like 1613000/RTMSDataSvcAptRent/getRTMSDataSvcAptRent, without a query, is "' + path + '"; pass the query as parameters');
}
const most = limit === undefined ? 10 : limit;
if (most < 1 || most > 100) throw new Error('limit must be between 1 and 100, is ' + most);

const url = new URL('https://apis.data.go.kr/' + where);
url.searchParams.set('serviceKey', plain(serviceKey));
const given = parameters === undefined ? {} : parameters;
for (const name of Object.keys(given)) {
  if (name.toLowerCase() === 'servicekey') throw new Error('leave ' + name + ' out of parameters: the tool adds the key itself');
  const value = given[name];
  if (value !== null && typeof value === 'object') throw new Error('parameters.' + name + ' must be a text or a number, is ' + JSON.stringify(value));
  if (value !== null) url.searchParams.set(name, String(value));
}
if (!url.searchParams.has('numOfRows')) url.searchParams.set('numOfRows', String(most));
if (!url.searchParams.has('pageNo')) url.searchParams.set('pageNo', '1');

// Some services refuse a request without a User-Agent.
const response = await fetch(url.href, { headers: { Accept: 'application/json, application/xml', 'User-Agent': 'localpass' } });
const text = response.text().trim();

// An element as a value: repeated children and <item> make lists.
function valueOf(e) {
  if (e.children.length === 0) return e.text;
  const lists = {};
  for (const c of e.children) (Object.hasOwn(lists, c.tag) ? lists[c.tag] : (lists[c.tag] = [])).push(valueOf(c));
  for (const tag of Object.keys(lists)) if (lists[tag].length === 1 && tag !== 'item') lists[tag] = lists[tag][0];
  return lists;
}
let root;
let format = 'json';
try {
  if (text.startsWith('<')) {
    format = 'xml';
    const tree = safety.parser.xml(text);
    root = { [tree.tag]: valueOf(tree) };
  } else {
    root = JSON.parse(text);
  }
} catch (e) {
  root = undefined;
}
const member = (o, name) => (o !== null && typeof o === 'object' && Object.hasOwn(o, name) ? o[name] : undefined);
const fault = member(member(root, 'OpenAPI_ServiceResponse'), 'cmmMsgHeader');
const answer = member(root, 'response') || root;
const header = fault || member(answer, 'header') || {};
const code = String(header.returnReasonCode || header.resultCode || '');
const why = [...new Set([header.errMsg, header.returnAuthMsg || header.resultMsg])].filter((w) => typeof w === 'string' && w !== '').join(', ');
const number = /^\d+$/.test(code) ? Number(code) : NaN;
const shown = [why, code === '' ? 'HTTP status ' + response.status : 'code ' + code].filter((w) => w !== '').join(', ');
if (number === 22 || response.status === 429) throw new Error('the daily limit of requests for this service is reached (' + shown + '); try again tomorrow');
if ([20, 30, 31, 32].includes(number) || response.status === 401 || response.status === 403) {
  throw new Error('the data portal refuses the key (' + shown + '); check DATA_GO_KR_SERVICE_KEY, and that its account has applied for this service at www.data.go.kr');
}
if (root === undefined && response.ok) throw new Error('the service answered neither JSON nor XML: ' + text.slice(0, 200));
const nothing = response.ok && (number === 3 || /NO_?DATA/i.test(why));
if (!nothing && (!response.ok || fault !== undefined || (code !== '' && number !== 0))) {
  throw new Error('the service answered: ' + shown + (response.status === 404 || response.status === 500 ? '; check the path and the names of the parameters' : '; check the parameters'));
}

// The records stand in body.items.item, or in one of the places beside it.
const body = member(answer, 'body') || answer;
const items = member(body, 'items') !== undefined ? body.items : member(body, 'data') !== undefined ? body.data : member(body, 'item');
let records = member(items, 'item') !== undefined ? items.item : items;
if (records === '' || records === null || nothing) records = [];
if (records !== undefined && !Array.isArray(records)) records = [records];

const result = { resultCode: code, resultMessage: why, format };
const total = Number(member(body, 'totalCount'));
const room = 20000; // characters, so that the answer stays readable
if (records === undefined) {
  // A shape of its own: given as it is.
  const whole = JSON.stringify(body);
  result.truncated = whole.length > room;
  result.data = result.truncated ? whole.slice(0, room) : body;
} else {
  let used = 0;
  result.items = [];
  for (const r of records.slice(0, most)) {
    used += JSON.stringify(r).length;
    if (used > room && result.items.length > 0) break;
    result.items.push(r);
  }
  result.total = Number.isFinite(total) ? total : records.length;
  result.truncated = result.items.length < result.total;
}
return result;
