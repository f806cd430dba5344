import { Foreign } from "../../ui/hostile";
import { Check } from "../../ui/parts";
import type { Form } from "./connectionform";
import type { Consent } from "./consent";

/** ProgramConsent shows what is started on this machine, and asks whether it may. */
export function ProgramConsent({ form, consent }: { form: Form; consent: Consent }) {
  return (
    <div class="note mid" data-testid="stdio-preview">
      <span>
        This starts, with nothing else of your environment but{" "}
        {["PATH, HOME, language", ...form.env.map((e) => e.name)].join(", ")}:
      </span>
      <ol>
        {[form.command, ...form.args].map((a, i) => (
          <li>
            <code>
              {i === 0 ? "program" : "argument " + i}: <Foreign text={a} />
            </code>
          </li>
        ))}
      </ol>
      <Check tid="stdio-consent" checked={consent.given} onChange={consent.give}>
        Run this program on my machine
      </Check>
    </div>
  );
}
