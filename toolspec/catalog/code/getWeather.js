// Tells the weather of a place now and in the next days, from wttr.in.
const place = location.trim();
if (place === '' || place.startsWith(':')) throw new Error('location is "' + place.slice(0, 40) + '", no place; pass a city such as "Lisbon" or coordinates such as "38.72,-9.14"');
const wanted = days === undefined ? 1 : days;
if (wanted < 0 || wanted > 3) throw new Error('days must be from 0 (only now) to 3, is ' + wanted);
const system = units === undefined ? 'metric' : units.trim().toLowerCase();
const imperial = /^(imperial|us|f|fahrenheit)$/.test(system);
if (!imperial && !/^(metric|si|c|celsius)$/.test(system)) throw new Error('units must be metric or imperial, is "' + system.slice(0, 30) + '"');

const response = await fetch('https://wttr.in/' + encodeURIComponent(place).replace(/%2C/g, ',') + '?format=j1');
const text = response.text();
// An unknown place is told as 404, or as 500 with a text.
if (response.status === 404 || /unknown location|location not found/i.test(text.slice(0, 500))) {
  throw new Error('wttr.in knows no place called "' + place.slice(0, 80) + '"; add the country ("Springfield, Illinois") or pass coordinates');
}
if (response.status === 429) throw new Error('wttr.in: the limit of requests is reached; try again in some minutes');
if (!response.ok) throw new Error('wttr.in answered ' + response.status + (response.statusText === '' ? '' : ' ' + response.statusText) + '; try again later');
let data;
try {
  data = JSON.parse(text);
} catch (e) {
  throw new Error('wttr.in gave no data but a text ("' + text.trim().slice(0, 80) + '"); try again later');
}
if (data.data !== undefined) data = data.data;
const now = data.current_condition && data.current_condition[0];
if (!now) throw new Error('wttr.in gave no weather for "' + place.slice(0, 80) + '"; try a larger town nearby');

// Everything comes as text, and names in lists of one.
const number = (v) => (v === undefined || v === null || String(v).trim() === '' || Number.isNaN(Number(v)) ? null : Number(v));
const words = (v) => (Array.isArray(v) && v[0] && v[0].value ? String(v[0].value).trim() : '');
const area = (data.nearest_area && data.nearest_area[0]) || {};
const result = {
  place: [words(area.areaName), words(area.region), words(area.country)].filter((n, i, all) => n !== '' && all.indexOf(n) === i).join(', ') || place,
  latitude: number(area.latitude),
  longitude: number(area.longitude),
  units: imperial ? 'imperial: °F, mph, inches, miles' : 'metric: °C, km/h, mm, km',
  observed: now.localObsDateTime || now.observation_time || '',
  condition: words(now.weatherDesc),
  temperature: number(imperial ? now.temp_F : now.temp_C),
  feelsLike: number(imperial ? now.FeelsLikeF : now.FeelsLikeC),
  humidityPercent: number(now.humidity),
  wind: number(imperial ? now.windspeedMiles : now.windspeedKmph),
  windFrom: now.winddir16Point || '',
  precipitation: number(imperial ? now.precipInches : now.precipMM),
  cloudPercent: number(now.cloudcover),
  pressureHpa: number(now.pressure),
  visibility: number(imperial ? now.visibilityMiles : now.visibility),
  uvIndex: number(now.uvIndex),
};
result.days = (data.weather || []).slice(0, wanted).map((d) => {
  const hours = Array.isArray(d.hourly) ? d.hourly : [];
  const most = (name) => hours.reduce((m, h) => Math.max(m, number(h[name]) || 0), 0);
  const noon = hours.find((h) => number(h.time) === 1200) || hours[Math.floor(hours.length / 2)] || {};
  const sky = (d.astronomy && d.astronomy[0]) || {};
  return {
    date: d.date,
    condition: words(noon.weatherDesc),
    min: number(imperial ? d.mintempF : d.mintempC),
    max: number(imperial ? d.maxtempF : d.maxtempC),
    rainPercent: most('chanceofrain'),
    snowPercent: most('chanceofsnow'),
    sunrise: sky.sunrise || '',
    sunset: sky.sunset || '',
  };
});
return result;
