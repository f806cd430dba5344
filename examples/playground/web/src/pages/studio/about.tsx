import { Button, Select, Text } from "../../ui/parts";
import { goodName, suggest, type Spec } from "./spec";
import { categories } from "./words";

interface Props {
  spec: Spec;
  change: (spec: Spec) => void;
  readOnly: boolean;
  /** What is wrong with the name, besides its grammar. */
  nameError: string;
  /** Another tool has this name. */
  taken: boolean;
  /** What the whole definition costs a model, when it is known. */
  tokens: number | undefined;
}

const tagsOf = (text: string) =>
  text
    .split(",")
    .map((t) => t.trimStart())
    .filter((t, i, all) => t !== "" || i === all.length - 1)
    .slice(0, 2)
    .filter(Boolean);

/** About is what people and models learn about the tool. */
export function About({ spec, change, readOnly, nameError, taken, tokens }: Props) {
  const badName = spec.name !== "" && !goodName.test(spec.name);
  const problem =
    nameError ||
    (badName
      ? "Begin with a letter; then letters, digits, _ and -, at most 64."
      : taken
        ? "Another tool has this name: only one of them can be live."
        : undefined);
  return (
    <div class="stack">
      <Text
        tid="tool-name"
        label="Name"
        mono
        value={spec.name}
        readOnly={readOnly}
        onInput={(name) => change({ ...spec, name })}
        error={problem}
      />
      {badName && !readOnly && (
        <div class="row">
          <Button tid="tool-name-suggest" small onClick={() => change({ ...spec, name: suggest(spec.name) })}>
            Use {suggest(spec.name)}
          </Button>
        </div>
      )}
      <Text
        tid="tool-description"
        label="Description, written for the model"
        lines={5}
        readOnly={readOnly}
        value={spec.description ?? ""}
        onInput={(description) => change({ ...spec, description })}
        hint={
          "Say what it does and when to use it. About " +
          Math.ceil((spec.description ?? "").length / 4) +
          " tokens; the whole definition " +
          (tokens ?? "…") +
          "."
        }
      />
      <div class="two">
        <Select
          tid="tool-category"
          label="Category"
          disabled={readOnly}
          value={spec.category ?? "CUSTOM"}
          options={categories}
          onChange={(category) => change({ ...spec, category })}
        />
        <Text
          tid="tool-tags"
          label="Tags, at most two"
          readOnly={readOnly}
          value={(spec.tags ?? []).join(", ")}
          onInput={(text) => change({ ...spec, tags: tagsOf(text) })}
        />
      </div>
    </div>
  );
}
