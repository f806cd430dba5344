// Style that comes with a script, as text: import css from "x.css" with { type: "text" }.
declare module "*.css" {
  const text: string;
  export default text;
}

// An icon: its elements with their attributes.
declare module "lucide/dist/esm/icons/*.mjs" {
  const elements: [string, Record<string, string>][];
  export default elements;
}
