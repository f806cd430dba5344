import { Check, Text } from "../../ui/parts";
import type { Form } from "./connectionform";

/** badId says what is wrong with the id of a server. */
export const badId = (id: string) =>
  id === "" || /^[A-Za-z0-9._-]{1,64}$/.test(id) ? "" : "Use 1 to 64 letters, digits, dots, - and _.";

/** ConnectionDetails are what a server is called here, and how it is treated. */
export function ConnectionDetails({
  given,
  form,
  set,
}: {
  given: string;
  form: Form;
  set: (p: Partial<Form>) => void;
}) {
  return (
    <section class="card stack">
      <Text
        tid="server-id"
        label="Id"
        mono
        value={form.id}
        readOnly={given !== ""}
        onInput={(id) => set({ id })}
        error={badId(form.id) || undefined}
        hint="Its tools are called id_name unless you set a prefix."
      />
      <Text tid="server-name" label="Name" value={form.name} onInput={(name) => set({ name })} />
      <Text
        tid="server-description"
        label="Description"
        lines={2}
        value={form.description}
        onInput={(description) => set({ description })}
      />
      <div class="two">
        <Text
          tid="server-category"
          label="Category"
          value={form.category}
          onInput={(category) => set({ category })}
        />
        <Text tid="server-tags" label="Tags" value={form.tags} onInput={(tags) => set({ tags })} />
      </div>
      <Text
        tid="server-timeout"
        label="Call timeout (ms)"
        value={form.timeoutMs}
        onInput={(timeoutMs) => set({ timeoutMs: timeoutMs.replace(/\D/g, "") })}
        hint="Default 15,000."
      />
      <Check tid="server-disabled" checked={form.disabled} onChange={(disabled) => set({ disabled })}>
        Disabled
      </Check>
      <Check
        tid="server-auto"
        checked={form.auto}
        disabled={form.disabled}
        onChange={(auto) => set({ auto })}
      >
        Connect when the playground starts
      </Check>
    </section>
  );
}
