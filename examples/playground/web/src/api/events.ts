import { signal } from "@preact/signals";

/** One event of the shared stream. */
export interface Event {
  topic: string;
  type: string;
  ts: string;
  data: any;
}

type Listener = (event: Event) => void;
type Message =
  | { kind: "event"; event: Event }
  | { kind: "state"; live: boolean; next: number }
  | { kind: "hello" }
  | { kind: "try" };

const listeners = new Map<string, Set<Listener>>();
/** live tells whether events arrive, here or by way of another tab. */
export const live = signal(true);
/** lostSince is when they ended, in ms; 0 while they arrive. */
export const lostSince = signal(0);

/** nextTry is when the stream is asked for again, in ms; 0 while that is not known. */
export const nextTry = signal(0);
let again: (() => void) | null = null;

/** tryNow asks for the stream at once, whichever tab holds it. */
export function tryNow() {
  if (again) again();
  else share({ kind: "try" });
}

/** on follows topics until the function that it returns is called. A gap is told of as the type "resync". */
export function on(topics: string[], listener: Listener): () => void {
  for (const topic of topics) {
    let set = listeners.get(topic);
    if (!set) listeners.set(topic, (set = new Set()));
    set.add(listener);
  }
  return () => {
    for (const topic of topics) listeners.get(topic)?.delete(listener);
  };
}

function tell(event: Event) {
  if (event.type === "resync") {
    const once = new Set<Listener>();
    for (const set of listeners.values()) for (const l of set) once.add(l);
    for (const l of once) l(event);
    return;
  }
  for (const l of [...(listeners.get(event.topic) ?? [])]) l(event);
  for (const l of [...(listeners.get("*") ?? [])]) l(event);
}

const resync = (): Event => ({ topic: "*", type: "resync", ts: new Date().toISOString(), data: null });

function clientID(): string {
  const make = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
  try {
    const known = localStorage.getItem("lp-client");
    if (known) return known;
    const id = make();
    localStorage.setItem("lp-client", id);
    return id;
  } catch {
    return make();
  }
}

const channel = "BroadcastChannel" in window ? new BroadcastChannel("lp-events") : null;
let leading = false;
let gap = false; // there was a stream before, of this tab or of another: what came since is not known

function setLive(now: boolean) {
  if (now === live.value && (now || lostSince.value !== 0)) return;
  live.value = now;
  lostSince.value = now ? 0 : Date.now();
}

function share(message: Message) {
  channel?.postMessage(message);
}

if (channel) {
  channel.onmessage = (m: MessageEvent<Message>) => {
    const message = m.data;
    if (message.kind === "hello") {
      if (leading) share({ kind: "state", live: live.value, next: nextTry.value });
    } else if (message.kind === "try") {
      again?.();
    } else if (!leading && message.kind === "state") {
      gap = true;
      const back = message.live && !live.value;
      setLive(message.live);
      nextTry.value = message.next;
      if (back) tell(resync());
    } else if (!leading && message.kind === "event") {
      tell(message.event);
    }
  };
}

const calmly = 5000; // ms between two looks of a tab that got no stream

/** refused tells whether this browser holds as many streams as it may. An EventSource does not say why it failed. */
async function refused(): Promise<boolean> {
  const stop = new AbortController();
  try {
    return (await fetch("/api/events?client=" + clientID(), { signal: stop.signal })).status === 429;
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}

const waits = [1000, 2000, 4000, 8000, 15000];

/** lead holds the one stream of this browser, until stop is aborted. */
function lead(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    leading = true;
    let source: EventSource | null = null;
    let timer = 0;
    let failures = 0;
    let last = "";
    let polled = false; // it asks again and again, and has no stream
    const tellState = (next: number) => {
      nextTry.value = next;
      share({ kind: "state", live: live.value, next });
    };
    again = () => {
      clearTimeout(timer);
      source?.close();
      open();
    };
    const open = () => {
      // What happened while the page was on its way counts too.
      source = new EventSource(
        "/api/events?client=" +
          clientID() +
          (last ? "&after=" + encodeURIComponent(last) : gap ? "" : "&age=" + Math.ceil(performance.now())),
      );
      source.onopen = () => {
        const back = !live.value;
        failures = 0;
        setLive(true);
        tellState(0);
        // What happened before the stream stood was missed.
        if (back || polled || gap) announce(resync());
        polled = gap = false;
      };
      source.onmessage = (m) => {
        last = m.lastEventId || last;
        announce(JSON.parse(m.data) as Event);
      };
      source.addEventListener("resync", () => announce(resync()));
      source.onerror = async () => {
        const own = source!;
        // A server that answers, but gives no stream, leaves it closed.
        const told = own.readyState === EventSource.CLOSED;
        own.close();
        if (told && (await refused())) {
          if (stop.aborted || own !== source) return;
          setLive(true);
          tellState(0);
          announce(resync());
          polled = true;
          clearTimeout(timer);
          timer = window.setTimeout(open, calmly);
          return;
        }
        if (stop.aborted || own !== source) return;
        setLive(false);
        const wait = waits[Math.min(failures, waits.length - 1)]! * (0.8 + Math.random() * 0.4);
        failures++;
        clearTimeout(timer);
        timer = window.setTimeout(open, wait);
        tellState(Date.now() + wait);
      };
    };
    const announce = (event: Event) => {
      share({ kind: "event", event });
      tell(event);
    };
    stop.addEventListener("abort", () => {
      clearTimeout(timer);
      source?.close();
      leading = false;
      gap = true;
      again = null;
      resolve();
    });
    open();
  });
}

let current: AbortController | null = null;
let resting = 0;

async function take() {
  if (current) return;
  const own = (current = new AbortController());
  share({ kind: "hello" });
  try {
    if (navigator.locks && channel)
      await navigator.locks.request("lp-events", { signal: own.signal }, () => lead(own.signal));
    else await lead(own.signal);
  } catch {
    // The wait for the lock was given up: this tab is hidden.
  }
}

/** start follows what happens as long as the page is looked at, and for half a minute longer. */
export function start() {
  const look = () => {
    clearTimeout(resting);
    if (document.visibilityState === "visible") {
      if (!current) {
        void take();
        if (started) tell(resync());
      }
    } else {
      resting = window.setTimeout(() => {
        current?.abort();
        current = null;
      }, 30_000);
    }
  };
  let started = false;
  document.addEventListener("visibilitychange", look);
  look();
  started = true;
  addEventListener("pagehide", () => current?.abort());
}
