// The panels of the dock, which are fetched when one of them is first opened.
export { Cases } from "./cases";
export { FixturesForm } from "./fixtures";
export { Attempts } from "./runattempts";
export { Console } from "./runconsole";
export { Limits } from "./runlimits";
