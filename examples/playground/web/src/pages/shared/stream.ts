import { ApiError } from "../../api/client";
import type { ChatAPITurnEvent } from "../../api/types";

export type TurnEvent = ChatAPITurnEvent & { data: any };

const waits = [200, 500, 1000, 2000, 4000];
const pause = (ms: number, stop: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** frames reads the events out of the body of an answer. With eventsource-parser 4.1.3 the chat is 1.7 kB larger, and over the 95 kB of its first load. */
export async function* frames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ event: string; data: string }> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  let event = "";
  let data = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      let from = 0;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
        const line = rest.slice(from, end).replace(/\r$/, "");
        from = end + 1;
        if (line === "") {
          if (data !== "") yield { event, data };
          event = data = "";
        } else if (line.startsWith("data:"))
          data += (data === "" ? "" : "\n") + line.slice(line[5] === " " ? 6 : 5);
        else if (line.startsWith("event:")) event = line.slice(6).trim();
      }
      rest = rest.slice(from);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/**
 * follow hands on the events of a turn behind a number, through lost connections,
 * each once. "gone" means that they are not kept any more: read the conversation.
 */
export async function follow(
  turn: string,
  after: number,
  on: (e: TurnEvent) => void,
  state: (lost: boolean) => void,
  stop: AbortSignal,
): Promise<"ended" | "gone" | "stopped"> {
  let last = after;
  for (let failures = 0; !stop.aborted;) {
    let ended = false;
    try {
      const answer = await fetch("/api/turns/" + encodeURIComponent(turn) + "/events", {
        headers: { Accept: "text/event-stream", ...(last > 0 ? { "Last-Event-ID": String(last) } : {}) },
        signal: stop,
        cache: "no-store",
      });
      if (answer.status === 204) return "ended";
      if (answer.status === 409 || answer.status === 404) return "gone";
      if (answer.ok && answer.body) {
        failures = 0;
        state(false);
        for await (const frame of frames(answer.body)) {
          const e = JSON.parse(frame.data) as TurnEvent;
          if (typeof e.seq !== "number" || e.seq <= last) continue;
          last = e.seq;
          on(e);
          if (e.type === "turn.finished") ended = true;
        }
        if (ended) return "ended";
      }
    } catch {
      if (stop.aborted) return "stopped";
    }
    state(true);
    await pause(waits[Math.min(failures++, waits.length - 1)]! * (0.8 + Math.random() * 0.4), stop);
  }
  return "stopped";
}

/** pull fetches a model, and tells how far it is. */
export async function pull(
  provider: string,
  name: string,
  on: (event: string, data: any) => void,
  stop: AbortSignal,
): Promise<void> {
  const answer = await fetch("/api/models/pull", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ provider, name }),
    signal: stop,
  });
  if (!answer.ok || !answer.body) throw new ApiError(await answer.json(), answer.status);
  for await (const frame of frames(answer.body)) on(frame.event, JSON.parse(frame.data));
}
