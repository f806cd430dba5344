// How a budget is measured: a figure is the median of several runs, at the speed of
// this machine and at a quarter of it. A limit on time that does not hold is
// measured again before it counts: a busy machine makes a figure worse, never
// better, so the best median is the one that tells of the page. Counts and bytes
// fail the run. Times fail it only where LOCALPASS_TIMES is "assert", on a machine that
// does nothing else: elsewhere they are printed with their limits, and neither measured
// again nor at a quarter of the speed.
import os from "node:os";
import { check, scenario } from "./world.mjs";

const times = Number(process.env.LOCALPASS_BUDGET_RUNS ?? 5);
const tries = 3;
const timed = (unit) => ["ms", "s", "%"].includes(unit);
const strict = process.env.LOCALPASS_TIMES === "assert";
const asserted = ([, unit]) => strict || !timed(unit);

export const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
export const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))] ?? 0;

/** slow lets the page have one of so many parts of the processor. */
export async function slow(page, rate) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate });
  return cdp;
}

/** note prints a figure, and says whether it holds. */
export function note(what, speed, got, limit, unit) {
  const holds = got <= limit;
  console.log(`# ${what.padEnd(42)} ${speed.padEnd(2)}  ${format(got, unit).padStart(9)}  of at most ${format(limit, unit).padStart(9)}${holds ? "" : "  EXCEEDED"}`);
  return holds;
}

const format = (n, unit) => (unit === "" ? String(Math.round(n)) : n.toFixed(n < 10 && unit !== "ms" ? 2 : 0) + " " + unit);

/**
 * budget is a scenario that measures. run gets 1 or 4, how much slower the page is,
 * and gives one number for each of the figures; a figure is [name, unit, limit at 1,
 * limit at 4], and a limit of null is none.
 */
export async function budget(number, title, figures, run) {
  await scenario(number, title, async () => {
    const broken = [];
    for (const rate of strict ? [1, 4] : [1]) {
      const limits = figures.map((f) => f[rate === 1 ? 2 : 3]);
      if (limits.every((l) => l === null)) continue;
      const best = figures.map(() => Infinity);
      for (let i = 0; i < tries && best.some((b, n) => limits[n] !== null && b > limits[n] && (i === 0 || asserted(figures[n]))); i++) {
        const runs = [];
        // Where most of them hold, so does their median: the rest is not waited for.
        const sure = () => figures.every((_, f) => limits[f] === null || runs.filter((r) => r[f] <= limits[f]).length > times / 2);
        for (let n = 0; n < times && !sure(); n++) runs.push(await run(rate));
        figures.forEach((_, n) => (best[n] = Math.min(best[n], median(runs.map((r) => r[n])))));
      }
      figures.forEach(([name, unit], n) => {
        if (limits[n] !== null && !note(name, rate + "x", best[n], limits[n], unit) && asserted(figures[n])) broken.push(`${name} at ${rate}x: ${format(best[n], unit)}, the limit is ${format(limits[n], unit)}`);
      });
    }
    check(broken.length === 0, broken.join("; ") + "; the load of the machine is " + os.loadavg()[0].toFixed(1));
  });
}

/** counted is a scenario of figures that no machine changes: it is run once. */
export async function counted(number, title, run) {
  await scenario(number, title, async () => {
    const broken = [];
    for (const [name, unit, got, limit] of await run()) if (!note(name, "", got, limit, unit) && (strict || !timed(unit))) broken.push(`${name}: ${format(got, unit)}, the limit is ${format(limit, unit)}`);
    check(broken.length === 0, broken.join("; "));
  });
}

/** Into each page: when something was painted first, and how long frames took. */
export const watcher = () => {
  const w = (globalThis.gauge = { frames: [], painted: {} });
  let last = 0;
  const step = (now) => {
    if (last) w.frames.push([performance.timeOrigin + now, now - last]);
    last = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  /** whenPainted tells when what a selector names stood on the screen, in ms since 1970. */
  w.whenPainted = (selector) =>
    new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector(selector)) return requestAnimationFrame(look);
        // The frame that shows it ends before the next task.
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
        channel.port2.postMessage(0);
      };
      look();
    });
};

/** framesOf gives the length of the frames between two moments, in ms since 1970. */
export const framesOf = (page, from, to = Infinity) => page.evaluate(([a, b]) => globalThis.gauge.frames.filter(([at, gap]) => at - gap >= a && at <= b).map(([, gap]) => gap), [from, to]);
