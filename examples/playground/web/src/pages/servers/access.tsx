import { useState } from "preact/hooks";
import { post, put, send } from "../../api/client";
import type { McphubAccessToken, ServerAccess, ServerNewToken } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { Ago, announce, Button, Check, Copy, Dialog, ProblemView, Text } from "../../ui/parts";

/** TokenOnce shows a value that is told this once. */
export function TokenOnce({ made }: { made: ServerNewToken }) {
  return (
    <div class="stack tight" data-testid="token-once" role="status">
      <strong>
        The token of <Foreign text={made.token.name} />. Copy it now: it is not shown again.
      </strong>
      <div class="secretbox">
        <code class="wrap" data-testid="token-value">
          {made.value}
        </code>
        <Copy tid="token-copy" text={made.value} />
      </div>
    </div>
  );
}

/** AccessCard is who is let in at the endpoint of the tools. */
export function AccessCard({ access, reload }: { access: ServerAccess; reload: () => void }) {
  const [name, setName] = useState("");
  const [made, setMade] = useState<ServerNewToken | null>(null);
  const [ending, end] = useState<McphubAccessToken | null>(null);
  const [turning, turn] = useState<McphubAccessToken | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const act = async (do_: () => Promise<unknown>) => {
    setBusy(true);
    fail(null);
    try {
      await do_();
    } catch (e) {
      fail(e);
    } finally {
      setBusy(false);
      end(null);
      turn(null);
      reload();
    }
  };
  const create = () =>
    act(async () => {
      setMade(await post<ServerNewToken>("/api/mcp/builtin/tokens", { name }));
      setName("");
      announce("Token made");
    });
  return (
    <section class="card stack" data-testid="access" aria-labelledby="access-title">
      <h2 id="access-title">Access</h2>
      <p>
        {access.required
          ? "Every client sends a token."
          : "Programs of this machine are let in without a token. A token that is sent must be good all the same, and names its client in the record of calls."}
        {access.fixed && " One comes from the configuration (-mcp-token), so a token is always required."}
      </p>
      <Check
        tid="access-required"
        checked={access.required}
        disabled={access.fixed || busy}
        onChange={(required) => void act(() => put<ServerAccess>("/api/mcp/builtin/access", { required }))}
      >
        Require a token from programs of this machine, too
      </Check>
      {access.required && !access.fixed && access.tokens.length === 0 && (
        <p class="warn">There is no token: no client can connect until you make one.</p>
      )}
      {failure !== null && <ProblemView error={failure} />}
      {made && <TokenOnce made={made} />}
      {access.tokens.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Client</th>
              <th scope="col">Token</th>
              <th scope="col">Made</th>
              <th scope="col">Last used</th>
              <th scope="col">
                <span class="vh">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {access.tokens.map((t) => (
              <tr data-testid="token-row" data-id={t.id}>
                <td>
                  <Foreign text={t.name} />
                </td>
                <td data-label="Token">
                  <code>••••{t.hint}</code>
                </td>
                <td data-label="Made">
                  <Ago at={t.rotatedAt ?? t.createdAt} />
                  {t.rotatedAt ? " (rotated)" : ""}
                </td>
                <td data-label="Last used">
                  {t.lastUsedAt ? <Ago at={t.lastUsedAt} /> : "not since the start"}
                </td>
                <td>
                  <span class="row">
                    <Button tid="token-rotate" dataId={t.id} small onClick={() => turn(t)}>
                      Rotate
                    </Button>
                    <Button tid="token-delete" dataId={t.id} small kind="danger" onClick={() => end(t)}>
                      Delete
                    </Button>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <form class="row" onSubmit={(e) => (e.preventDefault(), void create())}>
        <div class="grow">
          <Text
            tid="token-name"
            label="Client that the token is for"
            value={name}
            onInput={setName}
            placeholder="editor on the laptop"
          />
        </div>
        <Button tid="token-create" type="submit" busy={busy} disabled={name.trim() === ""}>
          Create token
        </Button>
      </form>
      {turning && (
        <Dialog
          tid="token-rotate-dialog"
          title={"Rotate the token of " + turning.name + "?"}
          onClose={() => turn(null)}
        >
          <p>It gets a new value. What its client sends now opens nothing any more.</p>
          <footer>
            <Button tid="token-rotate-cancel" onClick={() => turn(null)}>
              Keep it
            </Button>
            <Button
              tid="token-rotate-confirm"
              kind="primary"
              busy={busy}
              onClick={() =>
                void act(async () =>
                  setMade(
                    await post<ServerNewToken>(
                      "/api/mcp/builtin/tokens/" + encodeURIComponent(turning.id) + "/rotate",
                    ),
                  ),
                )
              }
            >
              Rotate token
            </Button>
          </footer>
        </Dialog>
      )}
      {ending && (
        <Dialog
          tid="token-delete-dialog"
          title={"Delete the token of " + ending.name + "?"}
          onClose={() => end(null)}
        >
          <p>Its client is refused from then on. This cannot be undone.</p>
          <footer>
            <Button tid="token-delete-cancel" onClick={() => end(null)}>
              Keep it
            </Button>
            <Button
              tid="token-delete-confirm"
              kind="danger"
              busy={busy}
              onClick={() =>
                void act(async () => {
                  await send("DELETE", "/api/mcp/builtin/tokens/" + encodeURIComponent(ending.id));
                  if (made?.token.id === ending.id) setMade(null);
                })
              }
            >
              Delete token
            </Button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}
