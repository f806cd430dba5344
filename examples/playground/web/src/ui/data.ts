import { useEffect, useRef, useState } from "preact/hooks";
import { on, type Event } from "../api/events";

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  loading: boolean;
  reload: () => void;
  set: (data: T) => void;
}

/**
 * useData reads something and reads it again when one of the topics tells of a
 * change. What is there stays there meanwhile.
 */
export function useData<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: unknown[],
  topics: string[] = [],
  wants?: (e: Event) => boolean,
): Loaded<T> {
  const [state, set] = useState<{ data: T | undefined; error: unknown; loading: boolean }>({
    data: undefined,
    error: null,
    loading: true,
  });
  const [turn, again] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const want = useRef(wants);
  want.current = wants;
  const key = JSON.stringify(deps);
  useEffect(() => {
    const stop = new AbortController();
    set((s) => ({ ...s, loading: true }));
    latest.current(stop.signal).then(
      (data) => !stop.signal.aborted && set({ data, error: null, loading: false }),
      (error: unknown) => !stop.signal.aborted && set((s) => ({ data: s.data, error, loading: false })),
    );
    return () => stop.abort();
  }, [key, turn]);
  useEffect(() => {
    if (topics.length === 0) return;
    let timer = 0;
    const stop = on(topics, (e) => {
      if (e.type !== "resync" && want.current && !want.current(e)) return;
      clearTimeout(timer);
      timer = window.setTimeout(() => again((n) => n + 1), 60);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [topics.join(",")]);
  return {
    ...state,
    reload: () => again((n) => n + 1),
    set: (data: T) => set({ data, error: null, loading: false }),
  };
}

/** useLater gives a value once it has been the same for a while. */
export function useLater<T>(value: T, wait: number): T {
  const [late, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return late;
}

/** kept reads and writes what this browser remembers; it may refuse. */
export const kept = {
  read(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  write(key: string, value: string | null) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // Full or forbidden: nothing is lost that the server has.
    }
  },
};
