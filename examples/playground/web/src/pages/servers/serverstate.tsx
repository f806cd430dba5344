/** How a connection stands, in words, with the tone of its dot. */
export const serverStates: Record<string, [string, string]> = {
  idle: ["idle", "off"],
  connecting: ["connecting", "mid"],
  connected: ["connected", "good"],
  error: ["error", "bad"],
  "circuit-open": ["keeps failing", "bad"],
  "missing-config": ["needs settings", "mid"],
  "awaiting-authorization": ["needs sign-in", "mid"],
  disabled: ["disabled", "off"],
  stopped: ["stopped", "off"],
  closing: ["closing", "off"],
};

/** What a state means where its word does not say it. */
const meanings: Record<string, string> = {
  "circuit-open":
    "It failed several times in a row, so it is left alone for a while. Connect tries again at once.",
  "missing-config": "A variable that its connection names has no value. Set it under Settings, Secrets.",
  idle: "Nothing has asked it yet. Connect asks it now.",
};

const kinds: Record<string, string> = { http: "Streamable HTTP", sse: "SSE (legacy)" };

/** kindName is how a server is reached, in words. */
export const kindName = (kind: string) => kinds[kind] ?? kind;

/** stateKey is a state as it stands in the tables above. */
export const stateKey = (state: string) => state.toLowerCase().replaceAll("_", "-");

/** meaningOf says what a state means and what can be done; "": its word is enough. */
export const meaningOf = (state: string) => meanings[stateKey(state)] ?? "";

export function ServerState({ state, tid }: { state: string; tid?: string }) {
  const [word, tone] = serverStates[stateKey(state)] ?? [state, "off"];
  return (
    <span
      class={"state " + tone}
      data-testid={tid ?? "server-state"}
      data-state={stateKey(state)}
      title={meaningOf(state) || undefined}
    >
      <span class={"dot" + (tone === "good" ? " on" : "")} aria-hidden="true" />
      {word}
    </span>
  );
}
