// Writes a date by a pattern or in a well-known form.

// include shared/units.js

const ENGLISH = {
  months: 'January February March April May June July August September October November December',
  monthsShort: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
  days: 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday', daysShort: 'Sun Mon Tue Wed Thu Fri Sat',
  long: 'D MMMM YYYY', full: 'dddd, D MMMM YYYY', month: 'MMMM YYYY', halves: 'AM PM',
};
const numbered = (sign) => Array.from({ length: 12 }, (_, i) => i + 1 + sign).join(' ');
const LANGUAGES = {
  en: ENGLISH,
  de: {
    months: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember', monthsShort: 'Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.',
    days: 'Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag', daysShort: 'So Mo Di Mi Do Fr Sa',
    long: 'D. MMMM YYYY', full: 'dddd, D. MMMM YYYY', month: 'MMMM YYYY', halves: 'AM PM',
  },
  fr: {
    months: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre', monthsShort: 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.',
    days: 'dimanche lundi mardi mercredi jeudi vendredi samedi', daysShort: 'dim. lun. mar. mer. jeu. ven. sam.',
    long: 'D MMMM YYYY', full: 'dddd D MMMM YYYY', month: 'MMMM YYYY', halves: 'AM PM',
  },
  es: {
    months: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre', monthsShort: 'ene feb mar abr may jun jul ago sept oct nov dic',
    days: 'domingo lunes martes miércoles jueves viernes sábado', daysShort: 'dom lun mar mié jue vie sáb',
    long: 'D [de] MMMM [de] YYYY', full: 'dddd, D [de] MMMM [de] YYYY', month: 'MMMM [de] YYYY', halves: 'AM PM',
  },
  ko: {
    months: numbered('월'), monthsShort: numbered('월'), days: '일요일 월요일 화요일 수요일 목요일 금요일 토요일', daysShort: '일 월 화 수 목 금 토',
    long: 'YYYY년 M월 D일', full: 'YYYY년 M월 D일 dddd', month: 'YYYY년 M월', halves: '오전 오후',
  },
  ja: {
    months: numbered('月'), monthsShort: numbered('月'), days: '日曜日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日', daysShort: '日 月 火 水 木 金 土',
    long: 'YYYY年M月D日', full: 'YYYY年M月D日 dddd', month: 'YYYY年M月', halves: '午前 午後',
  },
};
const tongue = language === undefined ? 'en' : language.trim().toLowerCase().slice(0, 2);
if (!Object.hasOwn(LANGUAGES, tongue)) throw new Error('language "' + language + '" is not known; use en, de, fr, es, ko or ja');
let words = LANGUAGES[tongue];

// include shared/clock.js

const place = zone === undefined ? 'UTC' : zone.trim();
const clock = clockOf(place);
if (!clock) throw new Error('zone "' + place + '" is no time zone; use an IANA name such as "Europe/Paris" or "UTC"');

// read gives the moment, and its own offset when the text has one.
function read() {
  const text = date.trim();
  if (/^now$/i.test(text)) return { instant: Date.now() };
  if (/^-?\d{9,14}$/.test(text)) return { instant: Number(text) * (text.replace('-', '').length < 12 ? 1000 : 1) };
  const today = /^today$/i.test(text);
  const m = today ? [] : /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[-+]\d\d:?\d\d)?$/i.exec(text);
  if (!m) throw new Error('date "' + date + '" is not understood; write it like 2026-11-21, 2026-11-21T17:30, 2026-11-21T17:30:00+01:00, 1764000000 or now (parseDate reads other forms)');
  let local;
  if (today) {
    const now = Date.now();
    local = Math.floor((now + offsetAt(clock, now)) / DAY) * DAY;
  } else {
    const [year, month, day, hour, minute, second] = m.slice(1, 7).map((x) => Number(x || 0));
    local = utc(year, month, day);
    if (year < 1 || hour > 23 || minute > 59 || second > 59 || new Date(local).getUTCDate() !== day || new Date(local).getUTCMonth() + 1 !== month) {
      throw new Error('date "' + date + '" does not exist in the calendar');
    }
    local += hour * HOUR + minute * MINUTE + second * SECOND + Math.floor(Number('0.' + (m[7] || '0')) * 1000);
  }
  if (m[8]) {
    let own = 0;
    if (/\d/.test(m[8])) own = (m[8][0] === '-' ? -1 : 1) * (Number(m[8].slice(1, 3)) * HOUR + Number(m[8].slice(-2)) * MINUTE);
    if (Math.abs(own) > 18 * HOUR) throw new Error('date "' + date + '" has an offset that does not exist');
    return { instant: local - own, own };
  }
  // Of a time that comes twice the first; one that is skipped moves forward.
  const before = offsetAt(clock, local - DAY);
  const hits = [before, offsetAt(clock, local + DAY)].map((o) => local - o).filter((t) => t + offsetAt(clock, t) === local);
  return { instant: hits.length ? Math.min(...hits) : local - before };
}

const { instant, own } = read();
if (!(instant >= utc(1, 1, 3) && instant <= utc(9999, 12, 29))) throw new Error('date is outside the years 1 to 9999');
const shownInOwn = zone === undefined && own !== undefined; // no zone asked: as it was written
let offset = shownInOwn ? own : offsetAt(clock, instant);
const pad = (n, width) => String(n).padStart(width || 2, '0');
const offsetText = (sign) => {
  const minutes = Math.floor(Math.abs(offset) / MINUTE);
  return (offset < 0 ? '-' : '+') + pad(Math.floor(minutes / 60)) + sign + pad(minutes % 60);
};

const zoneName = shownInOwn && own !== 0 ? 'UTC' + offsetText(':') : place;

function zoneWord(style) {
  if (shownInOwn && own !== 0) return zoneName;
  return clockOf(place, { timeZoneName: style }).formatToParts(instant).find((p) => p.type === 'timeZoneName').value;
}

function ordinal(n) {
  if (tongue !== 'en') return tongue === 'de' ? n + '.' : String(n);
  const teen = n % 100 > 10 && n % 100 < 14;
  return n + ((!teen && { 1: 'st', 2: 'nd', 3: 'rd' }[n % 10]) || 'th');
}

const local = () => new Date(instant + offset);
const list = (name) => words[name].split(' ');
const dayOfYear = () => Math.floor((local().getTime() - utc(local().getUTCFullYear(), 1, 1)) / DAY) + 1;
const weekday = () => local().getUTCDay() || 7;
// The year and number of an ISO week are those of its Thursday.
const thursday = () => new Date(Math.floor(local().getTime() / DAY) * DAY + (4 - weekday()) * DAY);
const week = () => Math.floor((thursday().getTime() - utc(thursday().getUTCFullYear(), 1, 1)) / DAY / 7) + 1;
const hour12 = () => local().getUTCHours() % 12 || 12;
const half = () => list('halves')[local().getUTCHours() < 12 ? 0 : 1];

const TOKENS = {
  YYYY: () => pad(local().getUTCFullYear(), 4), YY: () => pad(local().getUTCFullYear() % 100), GGGG: () => pad(thursday().getUTCFullYear(), 4),
  MMMM: () => list('months')[local().getUTCMonth()], MMM: () => list('monthsShort')[local().getUTCMonth()], MM: () => pad(local().getUTCMonth() + 1), M: () => local().getUTCMonth() + 1,
  DDDD: () => pad(dayOfYear(), 3), DDD: () => dayOfYear(), DD: () => pad(local().getUTCDate()), Do: () => ordinal(local().getUTCDate()), D: () => local().getUTCDate(),
  dddd: () => list('days')[local().getUTCDay()], ddd: () => list('daysShort')[local().getUTCDay()],
  HH: () => pad(local().getUTCHours()), H: () => local().getUTCHours(), hh: () => pad(hour12()), h: () => hour12(),
  mm: () => pad(local().getUTCMinutes()), m: () => local().getUTCMinutes(), ss: () => pad(local().getUTCSeconds()), s: () => local().getUTCSeconds(),
  SSS: () => pad(local().getUTCMilliseconds(), 3), A: half, a: () => half().toLowerCase(), Q: () => Math.floor(local().getUTCMonth() / 3) + 1, WW: () => pad(week()), W: week,
  XXX: () => offsetText(':'), X: () => Math.floor(instant / 1000), x: () => instant, ZZ: () => offsetText(''), Z: () => offsetText(':'),
  zzzz: () => zoneWord('long'), z: () => zoneWord('short'), T: () => 'T', E: () => weekday(),
};
// Letters that other programs use for the same.
Object.assign(TOKENS, { yyyy: TOKENS.YYYY, yy: TOKENS.YY, dd: TOKENS.DD, d: TOKENS.D, EEEE: TOKENS.dddd, EEE: TOKENS.ddd });
const LONGEST = Object.keys(TOKENS).sort((a, b) => b.length - a.length);
const PERCENT = {
  Y: 'YYYY', y: 'YY', G: 'GGGG', m: 'MM', d: 'DD', e: 'D', H: 'HH', I: 'hh', M: 'mm', S: 'ss', p: 'A', A: 'dddd', a: 'ddd', B: 'MMMM', b: 'MMM', h: 'MMM', j: 'DDDD', V: 'WW', u: 'E',
  s: 'X', z: 'ZZ', Z: 'z', F: 'YYYY-MM-DD', T: 'HH:mm:ss', R: 'HH:mm', D: 'MM/DD/YY',
};

function run(letters) {
  let out = '';
  for (let i = 0; i < letters.length;) {
    const token = LONGEST.find((t) => letters.startsWith(t, i));
    if (!token) return null;
    out += TOKENS[token]();
    i += token.length;
  }
  return out;
}

function write(pattern) {
  if (/%[A-Za-z]/.test(pattern)) {
    return pattern.replace(/%-?(.)/g, (all, c) => {
      if (c === '%') return '%';
      if (!Object.hasOwn(PERCENT, c)) throw new Error('format: ' + all + ' is not known; use ' + Object.keys(PERCENT).map((k) => '%' + k).join(' '));
      return all[1] === '-' ? String(write(PERCENT[c])).replace(/^0+(?=\d)/, '') : write(PERCENT[c]);
    });
  }
  return pattern.replace(/\[([^\]]*)\]|'((?:[^']|'')+)'|([A-Za-z]+)/g, (all, bracketed, quoted, letters) => {
    if (bracketed !== undefined) return bracketed;
    if (quoted !== undefined) return quoted.replace(/''/g, "'");
    const text = run(letters);
    if (text !== null) return text;
    if (/^(at|of|on|the|de|um|Uhr|le|el|del)$/.test(letters)) return letters;
    throw new Error('format: "' + letters + '" is no pattern; use letters such as YYYY MM DD HH mm ss dddd MMMM, put other words in [brackets], or use a name such as ' + Object.keys(NAMED).join(', '));
  });
}

const NAMED = {
  iso: zoneName === 'UTC' ? 'YYYY-MM-DDTHH:mm:ss[Z]' : 'YYYY-MM-DDTHH:mm:ssZ',
  date: 'YYYY-MM-DD', time: 'HH:mm:ss', datetime: 'YYYY-MM-DD HH:mm:ss', long: words.long, full: words.full, month: words.month, us: 'MM/DD/YYYY', eu: 'DD.MM.YYYY', uk: 'DD/MM/YYYY',
  rfc2822: 'ddd, DD MMM YYYY HH:mm:ss ZZ', http: 'ddd, DD MMM YYYY HH:mm:ss [GMT]', sql: 'YYYY-MM-DD HH:mm:ss', filename: 'YYYY-MM-DD_HH-mm-ss', compact: 'YYYYMMDD', week: 'GGGG-[W]WW', unix: 'X', unixms: 'x',
};

const asked = format === undefined ? 'iso' : format;
if (asked.length > 200) throw new Error('format is longer than 200 characters');
const key = asked.trim().toLowerCase().replace(/[\s_-]/g, '');
const named = Object.hasOwn(NAMED, key);
if (key === 'rfc2822' || key === 'http') words = ENGLISH; // these forms have no languages
if (key === 'http') offset = 0;
const pattern = named ? NAMED[key] : asked;
const text = write(pattern);
if (!named && text === asked && !/[[']/.test(asked)) throw new Error('format "' + asked + '" holds no pattern; use letters such as YYYY-MM-DD HH:mm, or a name such as ' + Object.keys(NAMED).join(', '));
return { text: String(text), pattern, zone: key === 'http' ? 'UTC' : zoneName, utc: new Date(instant).toISOString() };
