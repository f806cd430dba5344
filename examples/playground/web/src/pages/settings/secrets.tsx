import { useState } from "preact/hooks";
import { get, send } from "../../api/client";
import type { ServerSecretInfo, ServerSecretList } from "../../api/types";
import { useData } from "../../ui/data";
import { Ago, Button, Dialog, Loading, ProblemView, Text, toast } from "../../ui/parts";

const originWords: Record<string, string> = {
  stored: "stored here",
  environment: "from the environment",
  missing: "no value",
};

/** Secrets are names and where their values come from; a value goes in and never comes out. */
export function Secrets() {
  const { data, error, reload } = useData<ServerSecretList>(
    (s) => get("/api/secrets", s),
    [],
    ["settings", "tools", "servers"],
  );
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const [deleting, setDeleting] = useState<ServerSecretInfo | null>(null);
  const save = async () => {
    fail(null);
    try {
      await send("PUT", "/api/secrets/" + encodeURIComponent(name), { value });
      setName("");
      setValue("");
      toast("Stored a value for " + name + ".");
      reload();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <section class="card stack">
      <h2>Secrets</h2>
      <p class="hint">
        {
          "Tools and connections name them as ${NAME}. A value is sealed in the home of this program, comes before the environment, and is never shown again."
        }
      </p>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="secrets" lines={3} />}
      {data && data.items.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
              <th scope="col">Used by</th>
              <th scope="col">
                <span class="vh">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((s) => (
              <tr data-testid="secret-row" data-id={s.name} data-origin={s.origin}>
                <td>
                  <code>{s.name}</code>
                </td>
                <td data-label="Value" class={s.origin === "missing" ? "err" : ""}>
                  {s.origin === "missing" ? "" : "•••• "}
                  {originWords[s.origin]}{" "}
                  {s.updatedAt && (
                    <span class="muted">
                      since <Ago at={s.updatedAt} />
                    </span>
                  )}
                </td>
                <td data-label="Used by">{s.usedBy.join(", ") || "nothing"}</td>
                <td>
                  <span class="row">
                    {s.name.startsWith("LOCALPASS_MODEL_KEY_") && s.usedBy.length > 0 ? (
                      <a href="/settings/models" data-testid="secret-model" data-id={s.name}>
                        Change it under Models
                      </a>
                    ) : (
                      <>
                        <Button tid="secret-replace" small onClick={() => setName(s.name)}>
                          {s.origin === "stored" ? "Replace" : "Set"}
                        </Button>
                        {s.origin === "stored" && (
                          <Button tid="secret-delete" small kind="danger" onClick={() => setDeleting(s)}>
                            Delete
                          </Button>
                        )}
                      </>
                    )}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data?.items.length === 0 && <p class="muted">No tool and no server names one.</p>}
      <form class="stack tight" onSubmit={(e) => (e.preventDefault(), void save())}>
        <div class="two">
          <Text
            tid="secret-name"
            label="Name"
            mono
            value={name}
            onInput={setName}
            error={
              name !== "" && !/^[A-Za-z_]\w{0,127}$/.test(name)
                ? "Letters, digits and _; no digit first."
                : undefined
            }
          />
          <Text tid="secret-value" label="Value" type="password" value={value} onInput={setValue} />
        </div>
        {failure !== null && <ProblemView error={failure} />}
        <div class="row">
          <Button tid="secret-save" kind="primary" type="submit" disabled={name === "" || value === ""}>
            Store
          </Button>
        </div>
      </form>
      {deleting && (
        <Dialog
          tid="secret-dialog"
          title={"Delete the value of " + deleting.name + "?"}
          onClose={() => setDeleting(null)}
        >
          <p>
            {deleting.usedBy.length > 0
              ? deleting.usedBy.join(", ") + " cannot run without it."
              : "Nothing uses it."}{" "}
            It cannot be brought back.
          </p>
          <footer>
            <Button tid="secret-cancel" onClick={() => setDeleting(null)}>
              Keep it
            </Button>
            <Button
              tid="secret-confirm"
              kind="danger"
              onClick={() =>
                void send("DELETE", "/api/secrets/" + encodeURIComponent(deleting.name)).then(
                  () => (setDeleting(null), reload()),
                  fail,
                )
              }
            >
              Delete value
            </Button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}
