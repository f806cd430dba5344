// Asks the Ministry of the Interior and Safety for the disaster alerts that were
// sent to phones.

// The service knows provinces by their long Korean names.
const provinces = {
  seoul: '서울특별시', busan: '부산광역시', daegu: '대구광역시', incheon: '인천광역시', gwangju: '광주광역시', daejeon: '대전광역시', ulsan: '울산광역시', sejong: '세종특별자치시',
  gyeonggi: '경기도', gangwon: '강원특별자치도', chungbuk: '충청북도', chungnam: '충청남도', jeonbuk: '전북특별자치도', jeonnam: '전라남도', gyeongbuk: '경상북도', gyeongnam: '경상남도', jeju: '제주특별자치도',
};
const place = region === undefined ? undefined : region.trim();
if (place !== undefined && !/[가-힣]/.test(place) && provinces[place.toLowerCase().replace(/[\s-]?(do|si)$/, '')] === undefined) {
  throw new Error('region must be a province such as ' + Object.keys(provinces).slice(0, 3).join(', ') + ', or a place in Korean such as 강남구, is "' + region + '"');
}
const where = place === undefined || /[가-힣]/.test(place) ? place : provinces[place.toLowerCase().replace(/[\s-]?(do|si)$/, '')];
const most = limit === undefined ? 10 : limit;
if (most < 1 || most > 50) throw new Error('limit must be between 1 and 50, is ' + most);
// Without a day: today and yesterday in Seoul, which is nine hours ahead of UTC.
const day = since === undefined ? new Date(Date.now() - 15 * 3600000).toISOString().slice(0, 10).replace(/-/g, '') : String(since).trim().replace(/[-./]/g, '');
if (!/^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(day)) throw new Error('since must be a day such as 20261120 or 2026-11-20, is "' + since + '"');

const perPage = 500;
async function page(n) {
  const url = new URL('https://www.safetydata.go.kr/V2/api/DSSP-IF-00247');
  url.searchParams.set('serviceKey', serviceKey);
  url.searchParams.set('returnType', 'json');
  url.searchParams.set('pageNo', String(n));
  url.searchParams.set('numOfRows', String(perPage));
  url.searchParams.set('crtDt', day);
  if (where !== undefined) url.searchParams.set('rgnNm', where);
  const response = await fetch(url.href, { headers: { Accept: 'application/json', 'User-Agent': 'localpass' } });
  let answer = {};
  try { answer = response.json(); } catch (e) { /* an error page */ }
  const header = answer.header || {};
  const code = String(header.resultCode === undefined ? '' : header.resultCode);
  const why = [header.errorMsg || header.resultMsg, code === '' ? 'HTTP status ' + response.status : 'code ' + code].filter((w) => w).join(', ');
  if (['20', '30', '31', '32'].includes(code) || response.status === 401 || response.status === 403) {
    throw new Error('the disaster data platform refuses the key (' + why + '); check SAFETYDATA_SERVICE_KEY, and that its account has applied for 행정안전부_긴급재난문자 at www.safetydata.go.kr');
  }
  if (code === '22' || response.status === 429) throw new Error('the daily limit of requests for this key is reached (' + why + '); try again tomorrow');
  if (code === '03') return { total: 0, rows: [] };
  if (!response.ok || Number(code || NaN) !== 0) throw new Error('the disaster data platform answered: ' + why + '; check the arguments, or try again later');
  return { total: Number(answer.totalCount) || 0, rows: Array.isArray(answer.body) ? answer.body : [] };
}
const first = await page(1);
let rows = first.rows;
// The order is not promised, so where there is more than one page, look at the last one too.
if (first.total > perPage) rows = rows.concat((await page(Math.ceil(first.total / perPage))).rows);

const levels = { 안전안내: 'notice', 긴급재난: 'emergency', 위급재난: 'critical' };
const kinds = {
  호우: 'heavy rain', 폭염: 'heat wave', 한파: 'cold wave', 대설: 'heavy snow', 태풍: 'typhoon', 강풍: 'strong wind', 풍랑: 'high waves', 홍수: 'flood', 산사태: 'landslide', 지진: 'earthquake',
  지진해일: 'tsunami', 산불: 'wildfire', 화재: 'fire', 폭발: 'explosion', 붕괴: 'collapse', 건조: 'dry air', 안개: 'fog', 황사: 'yellow dust', 미세먼지: 'fine dust', 가뭄: 'drought', 낙뢰: 'lightning',
  교통통제: 'traffic control', 교통사고: 'traffic accident', 교통: 'traffic', 정전: 'power cut', 수도: 'water supply', 가스: 'gas', 통신: 'communications', 전염병: 'epidemic', 감염병: 'epidemic', AI: 'bird flu',
  실종: 'missing person', 환경오염사고: 'pollution', 민방공: 'air raid', 테러: 'terrorism', 기타: 'other',
};
const seen = new Set();
const alerts = rows.filter((r) => !seen.has(r.SN) && seen.add(r.SN)).map((r) => ({
  id: Number(r.SN),
  sent: /^\d{4}.\d\d.\d\d \d\d:\d\d:\d\d/.test(r.CRT_DT) ? r.CRT_DT.slice(0, 10).replace(/\D/g, '-') + 'T' + r.CRT_DT.slice(11, 19) + '+09:00' : r.CRT_DT,
  level: levels[r.EMRG_STEP_NM] || r.EMRG_STEP_NM,
  kind: kinds[r.DST_SE_NM] || r.DST_SE_NM,
  regions: (r.RCPTN_RGN_NM || '').split(',').map((s) => s.trim()).filter((s) => s !== ''),
  message: (r.MSG_CN || '').replace(/\s+/g, ' ').trim(),
}));
alerts.sort((a, b) => b.id - a.id); // the newest first
return { since: day.slice(0, 4) + '-' + day.slice(4, 6) + '-' + day.slice(6), region: where === undefined ? 'all of Korea' : where, total: first.total, truncated: first.total > most, alerts: alerts.slice(0, most) };
