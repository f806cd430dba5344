// Runs before the first paint: no white flash in the dark.
const root = document.documentElement;
const read = (key: string) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const theme = read("lp-theme");
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
if (read("lp-density") === "compact") root.dataset.density = "compact";
