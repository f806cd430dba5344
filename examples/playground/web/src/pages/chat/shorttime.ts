const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** shortTime is how long ago something was, for a narrow list: "now", "5m", "3h", "2d", "12 Nov", "12 Nov 2025". */
export function shortTime(at: number, now: number): string {
  const ago = now - at;
  if (!Number.isFinite(at)) return "";
  if (ago < minute) return "now";
  if (ago < hour) return Math.floor(ago / minute) + "m";
  if (ago < day) return Math.floor(ago / hour) + "h";
  if (ago < 7 * day) return Math.floor(ago / day) + "d";
  const then = new Date(at);
  const year = then.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: "numeric" } as const);
  return then.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
}
