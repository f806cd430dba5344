import { useEffect, useState } from "preact/hooks";
import { post } from "../../api/client";
import { Button, ProblemView, Text } from "../../ui/parts";

/** LoginPage takes the token from the address, where it reaches no log, or from a person. */
export function LoginPage() {
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const enter = async (value: string) => {
    setBusy(true);
    try {
      await post("/api/login", { token: value });
      const next = new URLSearchParams(location.search).get("next") ?? "/";
      location.assign(/^\/(?![\/\\])/.test(next) && !/[\u0000-\u001f]/.test(next) ? next : "/");
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  };
  useEffect(() => {
    document.title = "Sign in · localpass";
    const given = new URLSearchParams(location.hash.slice(1)).get("t");
    if (given) {
      history.replaceState(null, "", "/login" + location.search);
      void enter(given);
    }
  }, []);
  return (
    <form class="noscript" onSubmit={(e) => (e.preventDefault(), void enter(token))}>
      <h1>Sign in</h1>
      <p>This playground can be reached from the network. It was started with a token.</p>
      <Text tid="login-token" label="Token" type="password" value={token} onInput={setToken} />
      {error !== null && <ProblemView error={error} />}
      <div>
        <Button tid="login-enter" kind="primary" type="submit" busy={busy} disabled={token === ""}>
          Sign in
        </Button>
      </div>
    </form>
  );
}
