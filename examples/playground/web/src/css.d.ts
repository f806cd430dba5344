// Style that comes with a script, as text: import css from "x.css" with { type: "text" }.
declare module "*.css" {
  const text: string;
  export default text;
}
