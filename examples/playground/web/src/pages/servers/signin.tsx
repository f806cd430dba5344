import { useEffect, useState } from "preact/hooks";
import { get, post, send } from "../../api/client";
import type { McphubAuthorizationItem, McphubAuthorizationPage } from "../../api/types";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Ago, announce, Button, Copy, ProblemView } from "../../ui/parts";

const web = (url: string) => /^https?:\/\//.test(url);

/** left is the time until then, as a clock shows it. */
function left(until: string | undefined): string {
  const s = Math.max(0, Math.ceil((Date.parse(until ?? "") - Date.now()) / 1000));
  return Math.floor(s / 60) + ":" + String(s % 60).padStart(2, "0");
}

/** useAuthorization follows how the authorization for a server stands. */
export function useAuthorization(id: string) {
  return useData<McphubAuthorizationItem | null>(
    (s) =>
      id ? get("/api/mcp/servers/" + encodeURIComponent(id) + "/authorization", s) : Promise.resolve(null),
    [id],
    ["servers"],
  );
}

/** SignIn lets a person say yes at an authorization server, in a window beside this page. */
export function SignIn({ id, state }: { id: string; state: string }) {
  const { data, error, reload } = useAuthorization(id);
  const [page, setPage] = useState(""); // that was asked for here
  const [blocked, block] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const [, tick] = useState(0);
  const waiting = data?.waiting && Date.parse(data.until ?? "") > Date.now();
  useEffect(() => {
    if (!data?.waiting) return;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [data?.waiting]);
  useEffect(() => {
    if (data?.authorized) {
      setPage("");
      block(false);
    }
    if (data?.denied) announce("Access was denied");
  }, [data?.authorized, data?.denied]);
  const connected = state === "CONNECTED";
  useEffect(() => {
    if (page !== "" && connected) announce("Connected");
  }, [connected]);
  if (error !== null) return <ProblemView error={error} retry={reload} />;
  if (!data || (!data.configured && state !== "AWAITING_AUTHORIZATION")) return null;
  const begin = async () => {
    // Only what a click opens at once is let through; where it leads comes after.
    const win = window.open("about:blank", "_blank", "popup,width=520,height=720");
    setBusy(true);
    fail(null);
    try {
      const { url } = await post<McphubAuthorizationPage>(
        "/api/mcp/servers/" + encodeURIComponent(id) + "/authorization",
      );
      if (!web(url)) throw new Error("The sign-in page has an address that is not opened.");
      setPage(url);
      block(!win);
      if (win) {
        win.opener = null;
        win.location.replace(url);
      }
    } catch (e) {
      win?.close();
      fail(e);
    } finally {
      setBusy(false);
      reload();
    }
  };
  const end = async () => {
    fail(null);
    try {
      await send("DELETE", "/api/mcp/servers/" + encodeURIComponent(id) + "/authorization");
      announce("Signed out");
    } catch (e) {
      fail(e);
    }
    reload();
  };
  const word = data.authorized
    ? connected
      ? "connected"
      : "authorized"
    : waiting && page !== ""
      ? "waiting"
      : data.denied
        ? "denied"
        : data.late || (data.waiting && !waiting)
          ? "expired"
          : data.failure
            ? "failed"
            : "configured";
  return (
    <section
      class={
        "note " +
        (({ connected: "good", authorized: "good", denied: "bad", failed: "bad" } as Record<string, string>)[
          word
        ] ?? "mid")
      }
      data-testid="signin"
      data-state={word}
      aria-labelledby="signin-title"
    >
      <h2 id="signin-title">Sign-in</h2>
      {!data.configured && (
        <p>
          The server wants a sign-in, and this connection has none.{" "}
          <a href={"/servers/" + encodeURIComponent(id) + "/edit"} data-testid="signin-edit">
            Edit the connection
          </a>{" "}
          and choose OAuth.
        </p>
      )}
      {word === "configured" && data.configured && (
        <p>
          Somebody must sign in at {data.issuer ? <Foreign text={data.issuer} /> : "the server"} before this
          connection can be used.
        </p>
      )}
      {word === "waiting" && (
        <p role="status">
          Waiting for you in the other window. {left(data.until)} left. This page goes on by itself.
        </p>
      )}
      {blocked && web(page) && (
        <p class="row">
          <span>The browser blocked the window.</span>
          <a
            class="btn primary small"
            href={page}
            target="_blank"
            rel="noopener noreferrer"
            data-testid="signin-link"
            onClick={() => block(false)}
          >
            Open the sign-in page
          </a>
        </p>
      )}
      {word === "denied" && <p>Access was denied. Nothing was connected.</p>}
      {word === "expired" && <p>The sign-in was not finished within ten minutes.</p>}
      {word === "failed" && (
        <p>
          The sign-in failed: <Foreign text={data.failure ?? ""} />
        </p>
      )}
      {data.authorized && (
        <dl class="kv">
          <dt>Signed in at</dt>
          <dd>
            <Foreign text={data.issuer ?? ""} />
          </dd>
          <dt>May</dt>
          <dd>
            {data.scopes.length > 0
              ? data.scopes.map((s) => (
                  <span class="chip tag">
                    <Foreign text={s} />
                  </span>
                ))
              : "what the server allows without scopes"}
          </dd>
          <dt>Until</dt>
          <dd>
            {data.expiresAt ? <Ago at={data.expiresAt} /> : "not said"}
            {data.renewable ? ", renewed by itself" : ""}
          </dd>
        </dl>
      )}
      {failure !== null && <ProblemView error={failure} />}
      {data.configured && (
        <div class="row">
          <Button
            tid="signin-begin"
            small
            kind={data.authorized ? undefined : "primary"}
            busy={busy}
            onClick={() => void begin()}
          >
            {data.authorized ? "Sign in anew" : word === "configured" ? "Sign in" : "Sign in again"}
          </Button>
          {data.authorized && (
            <Button tid="signin-end" small kind="danger" onClick={() => void end()}>
              Sign out
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

/** RedirectURI is what an authorization server must be told of this program. */
export function RedirectURI() {
  const { data } = useData<{ redirectUri: string }>((s) => get("/api/mcp/oauth", s), []);
  return (
    <div class="field">
      <span class="label">Redirect URI, for registering by hand</span>
      <div class="row nowrap">
        <code class="grow wrap" data-testid="oauth-redirect">
          {data?.redirectUri ?? "…"}
        </code>
        {data && <Copy tid="oauth-redirect-copy" text={data.redirectUri} />}
      </div>
    </div>
  );
}
