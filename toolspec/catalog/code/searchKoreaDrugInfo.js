// Searches the leaflets in plain words ("e약은요") of medicines that are sold in
// Korean pharmacies without a prescription.

// include shared/plainKey.js

// include shared/askPortal.js

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
const text = await ask(url, 'the Ministry of Food and Drug Safety', '식품의약품안전처_의약품개요정보(e약은요)');
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
