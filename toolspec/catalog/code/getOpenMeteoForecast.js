// Weather now and in the coming days at coordinates, from Open-Meteo.
const SKY = {
  0: 'clear sky', 1: 'mainly clear', 2: 'partly cloudy', 3: 'overcast', 45: 'fog', 48: 'freezing fog',
  51: 'light drizzle', 53: 'drizzle', 55: 'heavy drizzle', 56: 'light freezing drizzle', 57: 'freezing drizzle',
  61: 'light rain', 63: 'rain', 65: 'heavy rain', 66: 'light freezing rain', 67: 'freezing rain',
  71: 'light snow', 73: 'snow', 75: 'heavy snow', 77: 'snow grains', 80: 'light rain showers', 81: 'rain showers', 82: 'violent rain showers',
  85: 'light snow showers', 86: 'heavy snow showers', 95: 'thunderstorm', 96: 'thunderstorm with light hail', 99: 'thunderstorm with heavy hail',
};
const sky = (code) => (code === null || code === undefined ? null : SKY[code] || 'weather code ' + code);
if (Math.abs(latitude) > 90) throw new Error('latitude must be between -90 and 90, is ' + latitude);
if (Math.abs(longitude) > 180) throw new Error('longitude must be between -180 and 180, is ' + longitude);
const count = days === undefined ? 3 : days;
if (count < 1 || count > 16) throw new Error('days must be between 1 and 16, is ' + days);
if (hourly === true && count > 3) throw new Error('hour by hour there are at most 3 days; pass days 3 or less, or leave hourly out');
const system = units === undefined ? 'metric' : units.trim().toLowerCase();
if (system !== 'metric' && system !== 'imperial') throw new Error('units is "' + units + '"; pass metric or imperial');

const asked = new URLSearchParams({
  latitude: String(latitude), longitude: String(longitude),
  current: 'temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m,wind_direction_10m',
  daily: 'weather_code,temperature_2m_min,temperature_2m_max,precipitation_sum,precipitation_probability_max,wind_speed_10m_max',
  timezone: 'auto', forecast_days: String(count),
});
if (hourly === true) asked.set('hourly', 'temperature_2m,precipitation_probability,precipitation,weather_code,wind_speed_10m');
if (system === 'imperial') {
  asked.set('temperature_unit', 'fahrenheit');
  asked.set('wind_speed_unit', 'mph');
  asked.set('precipitation_unit', 'inch');
}
const r = await fetch('https://api.open-meteo.com/v1/forecast?' + asked, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
let d = {};
try { d = r.json(); } catch (e) { /* the body is not JSON */ }
const said = d.reason ? ': ' + String(d.reason).slice(0, 200) : '';
if (r.status === 429) throw new Error('the rate limit of Open-Meteo is reached' + said);
if (!r.ok || d.error === true) throw new Error('Open-Meteo answered with status ' + r.status + said);

// The service gives one list for each value: turned into one object for each time.
const rows = (part, make) => part.time.map((time, i) => make(time, (name) => (part[name] === undefined || part[name][i] === undefined ? null : part[name][i])));
const result = {
  latitude: d.latitude,
  longitude: d.longitude,
  timeZone: d.timezone,
  units: { temperature: d.daily_units.temperature_2m_max, precipitation: d.daily_units.precipitation_sum, wind: d.daily_units.wind_speed_10m_max },
  current: {
    time: d.current.time,
    weather: sky(d.current.weather_code),
    temperature: d.current.temperature_2m,
    feelsLike: d.current.apparent_temperature,
    humidityPercent: d.current.relative_humidity_2m,
    precipitation: d.current.precipitation,
    wind: d.current.wind_speed_10m,
    windDirection: d.current.wind_direction_10m,
  },
  daily: rows(d.daily, (date, at) => ({
    date,
    weather: sky(at('weather_code')),
    low: at('temperature_2m_min'),
    high: at('temperature_2m_max'),
    precipitation: at('precipitation_sum'),
    rainChancePercent: at('precipitation_probability_max'),
    windMax: at('wind_speed_10m_max'),
  })),
};
if (hourly === true) {
  result.hourly = rows(d.hourly, (time, at) => ({
    time,
    weather: sky(at('weather_code')),
    temperature: at('temperature_2m'),
    precipitation: at('precipitation'),
    rainChancePercent: at('precipitation_probability'),
    wind: at('wind_speed_10m'),
  }));
}
return result;
