import { render } from "preact";
import { start } from "./api/events";
import { App } from "./shell/app";

const root = document.getElementById("app");
if (root) {
  start();
  render(<App />, root);
}
