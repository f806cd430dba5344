/** intoLast moves the focus into what was just added, which stands before the button that added it. */
export const intoLast = (tid: string) =>
  setTimeout(() =>
    [...document.querySelectorAll<HTMLElement>('[data-testid="' + tid + '"]')].at(-1)?.focus(),
  );
