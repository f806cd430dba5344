// Searches the leaflets in plain words ("e약은요") of medicines that are sold in
// Korean pharmacies without a prescription.

// The portal hands its key out URL-encoded and plain. The URL is encoded below, so
// the key must be plain.
function plain(key) {
  try { return key.includes('%') ? decodeURIComponent(key) : key; } catch (e) { return key; }
}

// Asks the data portal and gives the text of the answer, or null when there is no
// data. Errors come as XML or as JSON whatever was asked for, and with any status.
async function ask(url) {
  // Some services refuse a request without a User-Agent.
  const response = await fetch(url.href, { headers: { Accept: 'application/json', 'User-Agent': 'localpass' } });
  const text = response.text();
  const member = (name) => {
    const m = new RegExp('<' + name + '>([^<]*)<|"' + name + '"\\s*:\\s*"?([^",}]*)').exec(text);
    return m ? (m[1] || m[2] || '').trim() : '';
  };
  const code = member('returnReasonCode') || member('resultCode');
  const why = [...new Set([member('errMsg'), member('returnAuthMsg') || member('resultMsg')])].filter((w) => w !== '').join(', ');
  const number = /^\d+$/.test(code) ? Number(code) : NaN;
  const shown = [why, code === '' ? 'HTTP status ' + response.status : 'code ' + code].filter((w) => w !== '').join(', ');
  if (number === 22 || response.status === 429) throw new Error('the daily limit of requests for this service is reached (' + shown + '); try again tomorrow');
  if ([20, 30, 31, 32].includes(number) || response.status === 401 || response.status === 403) {
    throw new Error('the data portal refuses the key (' + shown + '); check DATA_GO_KR_SERVICE_KEY, and that its account has applied for 식품의약품안전처_의약품개요정보(e약은요) at www.data.go.kr');
  }
  if (response.ok && (number === 3 || /NO_?DATA/i.test(why))) return null;
  if (!response.ok || number !== 0) throw new Error('the Ministry of Food and Drug Safety answered: ' + shown + '; check the arguments, or try again later');
  return text;
}

if (name === undefined && symptom === undefined) throw new Error('pass name, such as 타이레놀, or symptom, such as 두통, or both');
const most = limit === undefined ? 3 : limit;
if (most < 1 || most > 10) throw new Error('limit must be between 1 and 10, is ' + most);

const url = new URL('https://apis.data.go.kr/1471000/DrbEasyDrugInfoService/getDrbEasyDrugList');
url.searchParams.set('serviceKey', plain(serviceKey));
url.searchParams.set('pageNo', '1');
url.searchParams.set('numOfRows', String(most));
if (name !== undefined) url.searchParams.set('itemName', name);
if (symptom !== undefined) url.searchParams.set('efcyQesitm', symptom);
url.searchParams.set('type', 'json');
const text = await ask(url);
const body = text === null ? {} : JSON.parse(text).body || {};

// The texts hold line ends and now and then tags.
function tidy(t) {
  if (!t) return undefined;
  const flat = t.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim();
  return flat.length > 700 ? flat.slice(0, 700) + '…' : flat;
}
const drugs = (body.items || []).slice(0, most).map((i) => {
  const one = {
    name: i.itemName,
    company: i.entpName,
    id: i.itemSeq,
    effects: tidy(i.efcyQesitm),
    usage: tidy(i.useMethodQesitm),
    warnings: tidy(i.atpnWarnQesitm),
    precautions: tidy(i.atpnQesitm),
    interactions: tidy(i.intrcQesitm),
    sideEffects: tidy(i.seQesitm),
    storage: tidy(i.depositMethodQesitm),
    image: i.itemImage || undefined,
    updated: i.updateDe,
  };
  for (const key of Object.keys(one)) if (one[key] === undefined || one[key] === null) delete one[key];
  return one;
});
const total = Number(body.totalCount) || 0;
const result = { total, truncated: total > drugs.length, drugs };
if (drugs.length === 0) result.hint = 'nothing found; write names and symptoms in Korean, such as 타이레놀 and 두통. Medicines on prescription are not in this list';
return result;
