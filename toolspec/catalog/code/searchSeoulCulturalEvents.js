// Searches the culture portal of the city of Seoul for concerts, exhibitions,
// festivals and other events. The service has no https, and takes the key as a
// part of the path.
const categories = {
  concert: ['콘서트'], classical: ['클래식', '독주/독창회'], exhibition: ['전시/미술'], musical: ['뮤지컬/오페라'], theatre: ['연극'], dance: ['무용'], traditional: ['국악'], film: ['영화'],
  festival: ['축제'], education: ['교육/체험'],
};
const aliases = { concerts: 'concert', exhibitions: 'exhibition', art: 'exhibition', opera: 'musical', musicals: 'musical', theater: 'theatre', play: 'theatre', movie: 'film', festivals: 'festival', workshop: 'education' };
let kinds;
if (category !== undefined) {
  const c = category.trim().toLowerCase();
  kinds = /[가-힣]/.test(c) ? [c.replace(/\s/g, '')] : categories[aliases[c] || c];
  if (kinds === undefined) throw new Error('category must be ' + Object.keys(categories).join(', ') + ', is "' + category + '"');
}
const districts = {
  jongno: '종로구', jung: '중구', yongsan: '용산구', seongdong: '성동구', gwangjin: '광진구', dongdaemun: '동대문구', jungnang: '중랑구', seongbuk: '성북구', gangbuk: '강북구', dobong: '도봉구', nowon: '노원구', eunpyeong: '은평구',
  seodaemun: '서대문구', mapo: '마포구', yangcheon: '양천구', gangseo: '강서구', guro: '구로구', geumcheon: '금천구', yeongdeungpo: '영등포구', dongjak: '동작구', gwanak: '관악구', seocho: '서초구', gangnam: '강남구', songpa: '송파구', gangdong: '강동구',
};
let gu;
if (district !== undefined) {
  const d = district.trim();
  gu = /[가-힣]/.test(d) ? d : districts[d.toLowerCase().replace(/[\s-]?gu$/, '')];
  if (gu === undefined) throw new Error('district must be a district of Seoul such as Jongno-gu or 종로구, is "' + district + '"');
}
const most = limit === undefined ? 10 : limit;
if (most < 1 || most > 50) throw new Error('limit must be between 1 and 50, is ' + most);
let day;
if (date !== undefined) {
  const m = /^(20\d\d)[-./]?(0[1-9]|1[0-2])[-./]?(0[1-9]|[12]\d|3[01])$/.exec(String(date).trim());
  if (m === null) throw new Error('date must be a day such as 2026-11-21, is "' + date + '"');
  day = m[1] + '-' + m[2] + '-' + m[3];
} else if (title === undefined) {
  day = new Date(Date.now() + 9 * 3600000).toISOString().slice(0, 10); // today: Seoul is nine hours ahead of UTC
}

// .../first/last/category/title/day, where a blank leaves one out. The category is
// chosen below, since some have a slash in their name.
const blank = '%20';
const words = title === undefined ? blank : encodeURIComponent(title.replace(/[\/\\]/g, ' ').trim()) || blank;
const url = 'http://openapi.seoul.go.kr:8088/' + encodeURIComponent(apiKey) + '/json/culturalEventInfo/1/1000/' + blank + '/' + words + (day === undefined ? '' : '/' + day);
const response = await fetch(url, { headers: { Accept: 'application/json' } });
const text = response.text();
let answer = {};
try { answer = JSON.parse(text); } catch (e) { /* errors may come as XML */ }
const info = answer.culturalEventInfo || {};
const status = info.RESULT || answer.RESULT || {};
const code = status.CODE || (/<CODE>([^<]*)</.exec(text) || [])[1] || '';
const why = (status.MESSAGE || (/<MESSAGE>(?:<!\[CDATA\[)?([^<\]]*)/.exec(text) || [])[1] || '').replace(/\s+/g, ' ').trim();
if (code === 'INFO-100') throw new Error('the open data plaza of Seoul refuses the key (' + code + ': ' + why + '); check SEOUL_OPENAPI_KEY at data.seoul.go.kr');
if (code !== 'INFO-000' && code !== 'INFO-200') throw new Error('the open data plaza of Seoul answered: ' + (code === '' ? 'HTTP status ' + response.status : code + ' ' + why) + '; try again later');

const rows = info.row || []; // INFO-200: none
const fits = (r) => (gu === undefined || (r.GUNAME || '').includes(gu)) && (freeOnly !== true || r.IS_FREE === '무료') &&
  (kinds === undefined || kinds.some((k) => (r.CODENAME || '').replace(/\s/g, '').includes(k)));
const chosen = rows.filter(fits);
const events = chosen.slice(0, most).map((r) => {
  // Longitude and latitude have stood in each other's place.
  const places = [Number(r.LAT), Number(r.LOT)];
  const one = {
    title: r.TITLE,
    category: r.CODENAME,
    district: r.GUNAME,
    place: r.PLACE,
    dates: r.DATE,
    time: r.PRO_TIME,
    free: r.IS_FREE === '무료',
    fee: r.USE_FEE,
    audience: r.USE_TRGT,
    performers: r.PLAYER ? r.PLAYER.replace(/\s+/g, ' ').slice(0, 200) : undefined,
    organiser: r.ORG_NAME,
    latitude: places.find((n) => n > 30 && n < 40),
    longitude: places.find((n) => n > 120 && n < 135),
    url: r.ORG_LINK || r.HMPG_ADDR,
  };
  for (const name of Object.keys(one)) if (one[name] === undefined || one[name] === null || one[name] === '') delete one[name];
  return one;
});
const result = { total: chosen.length, truncated: chosen.length > events.length || Number(info.list_total_count) > rows.length, events };
if (day !== undefined) result.date = day;
if (events.length === 0) result.hint = rows.length > 0 ? 'nothing fits all filters; leave out district, category or freeOnly' : 'nothing found; use one Korean word as title, or another day';
return result;
