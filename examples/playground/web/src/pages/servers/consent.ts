import { useEffect, useState } from "preact/hooks";
import { kept } from "../../ui/data";

/**
 * What a person agreed to run on this machine is remembered by a digest of the whole
 * command: one that changes in any argument is asked for again.
 */
async function digest(argv: string[]): Promise<string> {
  if (!crypto.subtle) return ""; // not over plain http from elsewhere: then nothing is remembered
  const raw = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(argv)));
  return Array.from(new Uint8Array(raw), (b) => b.toString(16).padStart(2, "0")).join("");
}

export interface Consent {
  given: boolean;
  note: () => void;
  give: (on: boolean) => void;
}

/** useConsent tells whether this command was agreed to, and notes it. */
export function useConsent(argv: string[]): Consent {
  const whole = JSON.stringify(argv);
  const [known, know] = useState({ of: "", hash: "", before: false });
  const [now, setNow] = useState(""); // the command that was ticked
  useEffect(() => {
    let late = false;
    void digest(argv).then(
      (hash) =>
        !late && know({ of: whole, hash, before: hash !== "" && kept.read("lp-ran-" + hash) !== null }),
    );
    return () => {
      late = true;
    };
  }, [whole]);
  return {
    given: now === whole || (known.of === whole && known.before),
    give: (on) => {
      setNow(on ? whole : "");
      if (!on && known.of === whole) {
        kept.write("lp-ran-" + known.hash, null);
        know({ ...known, before: false });
      }
    },
    note: () => known.of === whole && known.hash !== "" && kept.write("lp-ran-" + known.hash, "yes"),
  };
}
