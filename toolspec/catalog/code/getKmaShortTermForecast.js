// Asks the Korea Meteorological Administration (KMA) for its short-term forecast
// of one place, hour by hour.

// include shared/plainKey.js

// include shared/askPortal.js

// KMA forecasts for squares of 5 km on a Lambert conformal conic map with the
// parallels 30 and 60 degrees north, on which 126 E 38 N is the point 43, 136.
function gridOf(lat, lon) {
  const rad = Math.PI / 180;
  const earth = 6371.00877 / 5; // radius, in squares
  const slope = (degrees) => Math.tan(Math.PI / 4 + (degrees * rad) / 2);
  const n = Math.log(Math.cos(30 * rad) / Math.cos(60 * rad)) / Math.log(slope(60) / slope(30));
  const f = (Math.pow(slope(30), n) * Math.cos(30 * rad)) / n;
  const distance = (degrees) => (earth * f) / Math.pow(slope(degrees), n); // from the pole
  const angle = n * (lon - 126) * rad;
  return {
    nx: Math.floor(distance(lat) * Math.sin(angle) + 43 + 0.5),
    ny: Math.floor(distance(38) - distance(lat) * Math.cos(angle) + 136 + 0.5),
  };
}

const grid = gridOf(latitude, longitude);
if (!(grid.nx >= 1 && grid.nx <= 149 && grid.ny >= 1 && grid.ny <= 253)) {
  throw new Error('KMA has no forecast for latitude ' + latitude + ', longitude ' + longitude + ', which is outside Korea; Seoul is 37.5665, 126.9780');
}
const most = hours === undefined ? 24 : hours;
if (most < 1 || most > 72) throw new Error('hours must be between 1 and 72, is ' + most);

const two = (n) => String(n).padStart(2, '0');
// A run as the service names it. Seoul is nine hours ahead of UTC all year.
function runAt(time) {
  const t = new Date(time + 9 * 3600000);
  return { date: t.getUTCFullYear() + two(t.getUTCMonth() + 1) + two(t.getUTCDate()), time: two(t.getUTCHours()) + '00' };
}
const runs = [];
if (baseDate === undefined && baseTime === undefined) {
  // There is a run every three hours from 02:00, given out ten minutes later. The
  // one before it stands in when the newest is late.
  const every = 3 * 3600000;
  const newest = Math.floor((Date.now() - 600000 + 9 * 3600000 - 2 * 3600000) / every) * every + 2 * 3600000 - 9 * 3600000;
  runs.push(runAt(newest), runAt(newest - every));
} else {
  const date = String(baseDate === undefined ? '' : baseDate).replace(/-/g, '');
  const time = String(baseTime === undefined ? '' : baseTime).replace(':', '').padStart(4, '0');
  if (!/^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(date)) throw new Error('baseDate must be a day such as 20261121, is "' + baseDate + '"; leave baseDate and baseTime out for the latest run');
  if (!/^(02|05|08|11|14|17|20|23)00$/.test(time)) throw new Error('baseTime must be 0200, 0500, 0800, 1100, 1400, 1700, 2000 or 2300, is "' + baseTime + '"');
  runs.push({ date, time });
}

let text = null;
let run;
for (run of runs) {
  const url = new URL('https://apis.data.go.kr/1360000/VilageFcstInfoService_2.0/getVilageFcst');
  url.searchParams.set('serviceKey', plain(serviceKey));
  url.searchParams.set('pageNo', '1');
  url.searchParams.set('numOfRows', String((most + 4) * 13)); // up to 13 values an hour; the first hours may be over
  url.searchParams.set('dataType', 'JSON');
  url.searchParams.set('base_date', run.date);
  url.searchParams.set('base_time', run.time);
  url.searchParams.set('nx', String(grid.nx));
  url.searchParams.set('ny', String(grid.ny));
  text = await ask(url, 'the weather service', '기상청_단기예보 조회서비스');
  if (text !== null) break;
}
if (text === null) {
  throw new Error('KMA has no forecast of ' + run.date + ' ' + run.time + '; ' +
    (runs.length > 1 ? 'try again in a few minutes' : 'it keeps the runs of the last days only, so leave baseDate and baseTime out for the latest one'));
}

const iso = (date, time) => date.slice(0, 4) + '-' + date.slice(4, 6) + '-' + date.slice(6) + 'T' + time.slice(0, 2) + ':' + time.slice(2) + ':00+09:00';
const number = (v) => (/^-?\d+(\.\d+)?$/.test(v) && Math.abs(Number(v)) < 900 ? Number(v) : undefined); // 900 and more: missing
const sky = { 1: 'clear', 3: 'mostly cloudy', 4: 'overcast' };
const falling = { 0: 'none', 1: 'rain', 2: 'rain and snow', 3: 'snow', 4: 'shower', 5: 'drizzle', 6: 'drizzle and snow flurries', 7: 'snow flurries' };
const compass = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];
// "강수없음" (none), "1mm 미만" (less than), "30.0~50.0mm", "50.0mm 이상" (or more).
const amount = (v) => (/없음/.test(v) || v === '0' ? undefined : v.replace(/(.*\S)\s*미만/, 'less than $1').replace(/(.*\S)\s*이상/, '$1 or more').replace('~', ' to '));

const byHour = new Map();
const byDay = new Map();
for (const i of JSON.parse(text).response.body.items.item) {
  const value = String(i.fcstValue);
  if (i.category === 'TMN' || i.category === 'TMX') {
    const day = byDay.get(i.fcstDate) || { date: iso(i.fcstDate, '0000').slice(0, 10) };
    day[i.category === 'TMN' ? 'minimum' : 'maximum'] = number(value);
    byDay.set(i.fcstDate, day);
    continue;
  }
  const key = i.fcstDate + i.fcstTime;
  if (!byHour.has(key)) byHour.set(key, { time: iso(i.fcstDate, i.fcstTime) });
  const hour = byHour.get(key);
  switch (i.category) {
    case 'TMP': hour.temperature = number(value); break;
    case 'SKY': hour.sky = sky[value] || 'unknown'; break;
    case 'PTY': hour.precipitation = falling[value] || 'unknown'; break;
    case 'POP': hour.chancePercent = number(value); break;
    case 'PCP': hour.rainfall = amount(value); break;
    case 'SNO': hour.snowfall = amount(value); break;
    case 'REH': hour.humidityPercent = number(value); break;
    case 'WSD': hour.windMetresPerSecond = number(value); break;
    case 'VEC': hour.windFrom = number(value) === undefined ? undefined : compass[Math.round(number(value) / 45) % 8]; break;
  }
}
let list = [...byHour.values()].sort((a, b) => (a.time < b.time ? -1 : 1));
if (runs.length > 1) list = list.filter((h) => Date.parse(h.time) > Date.now() - 3600000); // what is over is not asked for
list = list.slice(0, most);
for (const h of list) for (const name of Object.keys(h)) if (h[name] === undefined) delete h[name];
const last = list.length > 0 ? list[list.length - 1].time.slice(0, 10) : '';
return { grid, issued: iso(run.date, run.time), hours: list, days: [...byDay.values()].filter((d) => d.date <= last) };
