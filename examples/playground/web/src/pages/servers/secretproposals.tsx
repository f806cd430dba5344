import { send } from "../../api/client";
import { Button } from "../../ui/parts";
import { proposal, type Form } from "./connectionform";

/** SecretProposals offer to keep what looks like a secret in the store of secrets. */
export function SecretProposals({
  form,
  set,
  fail,
}: {
  form: Form;
  set: (p: Partial<Form>) => void;
  fail: (e: unknown) => void;
}) {
  const proposals = [
    ...form.headers.map((p) => ({ p, where: "headers" as const })),
    ...form.env.map((p) => ({ p, where: "env" as const })),
  ]
    .map(({ p, where }) => ({ found: proposal(form.id, p), p, where }))
    .filter((x) => x.found);
  return (
    <>
      {proposals.map(({ found, p, where }) => (
        <div class="note mid row spread" data-testid="secret-proposal" data-id={found!.name}>
          <span>
            {p.name} looks like a secret. Keep it under Settings and write{" "}
            <code>{"${" + found!.name + "}"}</code> here.
          </span>
          <Button
            tid="secret-take"
            small
            kind="primary"
            onClick={async () => {
              try {
                await send("PUT", "/api/secrets/" + encodeURIComponent(found!.name), {
                  value: found!.value,
                });
                set({ [where]: form[where].map((q) => (q === p ? found!.pair : q)) } as Partial<Form>);
              } catch (e) {
                fail(e);
              }
            }}
          >
            Keep it there
          </Button>
        </div>
      ))}
    </>
  );
}
