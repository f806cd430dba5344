import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import { on } from "../api/events";
import type { ChatAPIConversation, ChatAPIConversationDetail } from "../api/types";
import type { Question } from "./composer";
import { follow } from "./stream";
import { apply, newTurn, turnsOf, type Turn } from "./turns";

const page = 30; // turns

export interface Conversation {
  detail: ChatAPIConversationDetail | null;
  turns: Turn[];
  /** The turn that runs, and is followed. */
  running: Turn | null;
  /** It counts how often this was shown. */
  frame: number;
  more: boolean;
  lost: boolean;
  error: unknown;
  refresh: () => Promise<void>;
  older: (n: number) => Promise<number>;
  all: () => Promise<Turn[]>;
  now: () => Turn[];
  begun: (turn: string, q: Question) => void;
  resumed: (turn: string) => void;
}

/** useConversation is a conversation as it is, with the events of its turn. */
export function useConversation(id: string): Conversation {
  const [frame, paint] = useState(0);
  const state = useRef({ detail: null as ChatAPIConversationDetail | null, turns: [] as Turn[], running: null as Turn | null, more: false, lost: false, error: null as unknown, following: "", frame: 0 });
  const s = state.current;
  const alive = useRef(new AbortController());
  const repaint = () => {
    if (s.frame) return;
    // Once a frame, however many words there were; a hidden page has no frames.
    const run = () => {
      s.frame = 0;
      paint((n) => n + 1);
    };
    s.frame = document.visibilityState === "visible" ? requestAnimationFrame(run) : window.setTimeout(run, 250);
  };
  const path = "/api/conversations/" + encodeURIComponent(id);

  const read = async (merge: boolean) => {
    if (!id) return;
    try {
      const detail = await get<ChatAPIConversationDetail>(path + "?turns=" + page, alive.current.signal);
      s.detail = detail;
      s.error = null;
      const list = turnsOf(detail);
      if (!merge || s.turns.length === 0) {
        s.turns = list;
        s.more = (list[0]?.seq ?? 1) > 1;
      } else {
        for (const t of list) {
          const at = s.turns.findIndex((x) => x.id === t.id);
          if (at < 0) s.turns = [...s.turns, t];
          else {
            const old = s.turns[at]!;
            // What was followed knows more of its parts than what is stored.
            if (old.parts.length > 0 && old.status !== "" && !old.live) Object.assign(old, { seq: t.seq, provider: t.provider, model: t.model, events: Math.max(old.events, t.events) });
            else if (!old.live) s.turns = s.turns.map((x, i) => (i === at ? t : x));
            else old.seq = t.seq;
          }
        }
      }
      if (detail.turnId && !detail.paused && s.following !== detail.turnId) watch(detail.turnId, 0);
    } catch (e) {
      if (alive.current.signal.aborted) return;
      s.error = e;
    }
    repaint();
  };

  /** watch follows a turn; after is the number of the last event that its parts hold. */
  const watch = (turn: string, after: number) => {
    if (s.following === turn) return;
    s.following = turn;
    let t = s.turns.find((x) => x.id === turn);
    if (!t) {
      t = newTurn(turn, (s.turns[s.turns.length - 1]?.seq ?? 0) + 1);
      s.turns = [...s.turns, t];
    }
    const shown = t;
    const stored = shown.parts; // until the first event comes
    let first = true;
    Object.assign(shown, { live: true, status: "", began: shown.began || Date.now() });
    s.running = shown;
    repaint();
    const stop = alive.current.signal;
    void follow(turn, after, (e) => {
      if (first && after === 0) shown.parts = [];
      first = false;
      apply(shown, e);
      repaint();
    }, (lost) => {
      if (s.lost !== lost) {
        s.lost = lost;
        repaint();
      }
    }, stop).then((how) => {
      if (how === "stopped") return;
      if (first) shown.parts = stored;
      Object.assign(shown, { live: false });
      s.running = null;
      s.following = "";
      s.lost = false;
      repaint();
      // Of a turn whose events are gone the store knows; it may still run elsewhere.
      if (how === "gone") {
        Object.assign(shown, { parts: [], status: "" });
        setTimeout(() => !stop.aborted && void read(true), 1000);
      } else void read(true);
    });
  };

  useEffect(() => {
    alive.current = new AbortController();
    Object.assign(s, { detail: null, turns: [], running: null, more: false, lost: false, error: null, following: "" });
    void read(false);
    const off = on(["chat"], (e) => {
      if (!id) return;
      const of = (e.data as ChatAPIConversation | null)?.id;
      if (e.type === "resync" || e.type === "conversation.recovered" || (of === id && e.type === "conversation.changed" && !s.running)) void read(true);
    });
    return () => {
      alive.current.abort();
      off();
      if (s.frame) cancelAnimationFrame(s.frame);
      s.frame = 0;
    };
  }, [id]);

  const older = async (n: number) => {
    const first = s.turns[0]?.seq ?? 1;
    if (first <= 1) return 0;
    const detail = await get<ChatAPIConversationDetail>(path + "?turns=" + n + "&before=" + first, alive.current.signal);
    const list = turnsOf(detail).filter((t) => t.seq < (s.turns[0]?.seq ?? Infinity));
    s.turns = [...list, ...s.turns];
    s.more = list.length > 0 && list[0]!.seq > 1;
    repaint();
    return list.length;
  };
  return {
    detail: s.detail, turns: s.turns, running: s.running, frame, more: s.more, lost: s.lost, error: s.error,
    refresh: () => read(true),
    older,
    all: async () => {
      while (s.more && (await older(500)) > 0);
      return s.turns;
    },
    now: () => s.turns,
    begun: (turn, q) => {
      if (!s.turns.some((t) => t.id === turn)) {
        const t = newTurn(turn, (s.turns[s.turns.length - 1]?.seq ?? 0) + 1);
        Object.assign(t, { question: q.text, pictures: q.pictures });
        s.turns = [...s.turns, t];
      } else Object.assign(s.turns.find((t) => t.id === turn)!, { question: q.text, pictures: q.pictures });
      watch(turn, 0);
    },
    resumed: (turn) => {
      const t = s.turns.find((x) => x.id === turn);
      watch(turn, t?.events ?? 0);
    },
  };
}
