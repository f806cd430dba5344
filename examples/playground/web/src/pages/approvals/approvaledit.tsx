import { useState } from "preact/hooks";
import { parse, pretty } from "../../ui/json";
import { Segments, Text } from "../../ui/parts";
import { SchemaForm } from "../shared/schemaform";

interface Props {
  schema: unknown;
  /** The arguments as text; what is no JSON stays in the box. */
  text: string;
  onText: (text: string) => void;
  error?: string | undefined;
}

/** ArgumentEditor changes the arguments of a call, in a form or as JSON. */
export function ArgumentEditor({ schema, text, onText, error }: Props) {
  const [as, setAs] = useState("json");
  const now = parse(text);
  return (
    <div class="stack tight">
      <Segments
        tid="approval-edit-as"
        label="Edit as"
        value={as}
        options={[
          ["json", "JSON"],
          ["form", "Form"],
        ]}
        onChange={setAs}
      />
      {as === "form" && "value" in now ? (
        <SchemaForm
          schema={schema as Record<string, unknown>}
          value={now.value}
          name=""
          onValue={(v) => onText(pretty(v))}
        />
      ) : (
        <Text
          tid="approval-edit"
          label="Edited arguments; the model is told that you changed them"
          mono
          lines={6}
          value={text}
          onInput={onText}
          error={error}
        />
      )}
    </div>
  );
}
