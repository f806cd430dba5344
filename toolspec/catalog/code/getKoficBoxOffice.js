// Asks the Korean Film Council (KOFIC) for the box office of a day, a week or a
// weekend.
const kinds = { daily: 'Daily', weekly: 'Weekly', weekend: 'Weekly' };
const kind = period === undefined ? 'daily' : period.trim().toLowerCase().replace(/^day$/, 'daily').replace(/^week$/, 'weekly');
if (!Object.hasOwn(kinds, kind)) throw new Error('period must be daily, weekly or weekend, is "' + period + '"');
const from = { all: undefined, korean: 'K', foreign: 'F' };
const who = nation === undefined ? 'all' : nation.trim().toLowerCase();
if (!Object.hasOwn(from, who)) throw new Error('nation must be all, korean or foreign, is "' + nation + '"');
let day;
if (date === undefined) {
  // Figures of a day are there the next day, those of a week after it. Seoul is nine hours ahead of UTC.
  day = new Date(Date.now() + 9 * 3600000 - (kind === 'daily' ? 1 : 7) * 86400000).toISOString().slice(0, 10).replace(/-/g, '');
} else {
  day = String(date).trim().replace(/[-./]/g, '');
  if (!/^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(day)) throw new Error('date must be a day such as 20261120 or 2026-11-20, is "' + date + '"');
}

const url = new URL('https://www.kobis.or.kr/kobisopenapi/webservice/rest/boxoffice/search' + kinds[kind] + 'BoxOfficeList.json');
url.searchParams.set('key', apiKey);
url.searchParams.set('targetDt', day);
if (kind !== 'daily') url.searchParams.set('weekGb', kind === 'weekly' ? '0' : '1'); // Monday to Sunday, or Friday to Sunday
url.searchParams.set('itemPerPage', '10');
if (from[who] !== undefined) url.searchParams.set('repNationCd', from[who]);

const response = await fetch(url.href, { headers: { Accept: 'application/json' } });
let answer;
try { answer = response.json(); } catch (e) { answer = {}; /* an error page */ }
const fault = answer.faultInfo; // comes with HTTP status 200 too
if (fault !== undefined) {
  const code = String(fault.errorCode);
  if (code === '320011') throw new Error('the daily limit of requests for the key in KOFIC_API_KEY is reached (' + fault.message + '); try again tomorrow');
  throw new Error((code === '320010' ? 'KOFIC refuses the key in KOFIC_API_KEY' : 'KOFIC refused the request') + ' (' + code + ': ' + fault.message + ')');
}
if (!response.ok || answer.boxOfficeResult === undefined) throw new Error('KOFIC answered with HTTP status ' + response.status + '; try again later');

const box = answer.boxOfficeResult;
const iso = (d) => d.trim().replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
const [start, end] = (box.showRange || '').split('~').map(iso);
const movies = (box.dailyBoxOfficeList || box.weeklyBoxOfficeList || []).map((m) => {
  const one = {
    rank: Number(m.rank),
    title: m.movieNm,
    code: m.movieCd,
    opened: m.openDt.trim() || undefined,
    new: m.rankOldAndNew === 'NEW' ? true : undefined,
    rankChange: Number(m.rankInten),
    admissions: Number(m.audiCnt),
    admissionsChangePercent: Number(m.audiChange),
    totalAdmissions: Number(m.audiAcc),
    salesKrw: Number(m.salesAmt),
    totalSalesKrw: Number(m.salesAcc),
    salesSharePercent: Number(m.salesShare),
    screens: Number(m.scrnCnt),
    showings: Number(m.showCnt),
  };
  for (const name of Object.keys(one)) if (one[name] === undefined) delete one[name];
  return one;
});
const result = { period: kind, from: start || iso(day), to: end || iso(day), nation: who, movies };
if (movies.length === 0) result.hint = 'no figures for this time; they come a day after the day, and after the end of the week';
return result;
