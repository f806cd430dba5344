// Asks AirKorea for what its stations in one province measured last: fine dust
// (PM10, PM2.5) and other pollutants.

// include shared/plainKey.js

// include shared/askPortal.js

// Provinces as the service writes them. English and long Korean names are known
// by their beginning.
const provinces = {
  서울: ['seoul', '서울'], 부산: ['busan', '부산'], 대구: ['daegu', '대구'], 인천: ['incheon', '인천'], 광주: ['gwangju', '광주'], 대전: ['daejeon', '대전'],
  울산: ['ulsan', '울산'], 경기: ['gyeonggi', '경기'], 강원: ['gangwon', '강원'], 충북: ['chungbuk', 'chungcheongbuk', 'northchungcheong', '충북', '충청북'],
  충남: ['chungnam', 'chungcheongnam', 'southchungcheong', '충남', '충청남'], 전북: ['jeonbuk', 'jeollabuk', 'northjeolla', '전북', '전라북'],
  전남: ['jeonnam', 'jeollanam', 'southjeolla', '전남', '전라남'], 경북: ['gyeongbuk', 'gyeongsangbuk', 'northgyeongsang', '경북', '경상북'],
  경남: ['gyeongnam', 'gyeongsangnam', 'southgyeongsang', '경남', '경상남'], 제주: ['jeju', '제주'], 세종: ['sejong', '세종'], 전국: ['korea', 'southkorea', 'all', 'nationwide', '전국'],
};
const asked = region.toLowerCase().replace(/[\s-]/g, '');
const province = Object.keys(provinces).find((p) => provinces[p].some((name) => asked.startsWith(name)));
if (province === undefined) throw new Error('region must be a province or large city of Korea, such as Seoul, Busan, Gyeonggi or Jeju, is "' + region + '"; pass a smaller place as station');
const most = limit === undefined ? 10 : limit;
if (most < 1 || most > 100) throw new Error('limit must be between 1 and 100, is ' + most);

const url = new URL('https://apis.data.go.kr/B552584/ArpltnInforInqireSvc/getCtprvnRltmMesureDnsty');
url.searchParams.set('serviceKey', plain(serviceKey));
url.searchParams.set('returnType', 'json');
url.searchParams.set('numOfRows', '700'); // more than there are stations
url.searchParams.set('pageNo', '1');
url.searchParams.set('sidoName', province);
url.searchParams.set('ver', '1.3');
const text = await ask(url, 'AirKorea', '한국환경공단_에어코리아_대기오염정보');
const rows = text === null ? [] : JSON.parse(text).response.body.items || [];

const number = (v) => (v === null || v === undefined || v === '' || v === '-' || Number.isNaN(Number(v)) ? null : Number(v));
const gradeNames = ['good', 'moderate', 'unhealthy', 'very unhealthy'];
// The bounds of the Korean grades, in micrograms per cubic metre.
const grade = (v, bounds) => (v === null ? null : gradeNames[bounds.findIndex((b) => v <= b)]);
const grade10 = (v) => grade(v, [30, 80, 150, Infinity]);
const grade25 = (v) => grade(v, [15, 35, 75, Infinity]);
const mean = (list) => (list.length === 0 ? null : Math.round(list.reduce((a, b) => a + b, 0) / list.length));

const part = station === undefined ? '' : station.replace(/\s/g, '');
const stations = rows.filter((r) => r.stationName.replace(/\s/g, '').includes(part)).map((r) => {
  const pm10 = number(r.pm10Value);
  const pm25 = number(r.pm25Value);
  const one = { station: r.stationName, pm10, pm10Grade: grade10(pm10), pm25, pm25Grade: grade25(pm25), ozonePpm: number(r.o3Value), no2Ppm: number(r.no2Value), airQualityIndex: number(r.khaiValue), measured: r.dataTime };
  if (province === '전국') one.province = r.sidoName;
  return one;
});
if (part !== '' && rows.length > 0 && stations.length === 0) {
  throw new Error('no station in ' + province + ' is called "' + station + '"; stations are named in Korean, such as ' + rows.slice(0, 5).map((r) => r.stationName).join(', '));
}
// The worst air first; stations that measure nothing at the moment last.
stations.sort((a, b) => (b.pm25 === null ? -1 : b.pm25) - (a.pm25 === null ? -1 : a.pm25));
const average10 = mean(stations.map((s) => s.pm10).filter((v) => v !== null));
const average25 = mean(stations.map((s) => s.pm25).filter((v) => v !== null));
return {
  region: province,
  unit: 'µg/m³',
  averagePm10: average10,
  averagePm10Grade: grade10(average10),
  averagePm25: average25,
  averagePm25Grade: grade25(average25),
  total: stations.length,
  truncated: stations.length > most,
  stations: stations.slice(0, most),
};
