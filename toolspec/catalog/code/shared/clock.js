// clockOf gives the clock of a time zone, or null where there is none of the name.
function clockOf(name, more) {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', ...more,
    });
  } catch (e) {
    return null;
  }
}

// utc is Date.UTC, which takes years below 100 for 19xx.
function utc(year, month, day, hour = 0, minute = 0, second = 0, ms = 0) {
  const d = new Date(0);
  d.setUTCFullYear(year, month - 1, day);
  d.setUTCHours(hour, minute, second, ms);
  return d.getTime();
}

// offsetAt tells how far a clock is ahead of UTC at an instant.
function offsetAt(clock, instant) {
  const p = {};
  for (const { type, value } of clock.formatToParts(instant)) p[type] = Number(value);
  return utc(p.year, p.month, p.day, p.hour % 24, p.minute, p.second) - Math.floor(instant / 1000) * 1000;
}
