import { useEffect, useState } from "preact/hooks";
import { parse, pretty } from "../../ui/json";
import { Text } from "../../ui/parts";

/** Json is a value that is typed as text; what is no JSON stays in the box and goes nowhere. */
export function Json({
  tid,
  label,
  value,
  onValue,
  readOnly,
}: {
  tid: string;
  label: string;
  value: unknown;
  onValue: (v: any) => void;
  readOnly?: boolean;
}) {
  const [text, setText] = useState(pretty(value));
  const [error, setError] = useState("");
  useEffect(() => {
    const now = parse(text);
    if ("error" in now || JSON.stringify(now.value) !== JSON.stringify(value)) {
      setText(pretty(value));
      setError("");
    }
  }, [JSON.stringify(value)]);
  return (
    <Text
      tid={tid}
      label={label}
      mono
      lines={Math.min(8, Math.max(2, text.split("\n").length))}
      value={text}
      readOnly={readOnly ?? false}
      error={error || undefined}
      onInput={(t) => {
        setText(t);
        const p = parse(t);
        if ("error" in p) setError(p.error);
        else {
          setError("");
          onValue(p.value);
        }
      }}
    />
  );
}
