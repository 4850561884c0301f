/// On paper: what a reader would open is open, and is as it was behind it.
const opened: HTMLDetailsElement[] = [];

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("#findings > div > ol details:not([open]), .terms:not([open])")) {
    details.open = true;
    opened.push(details);
  }
});
addEventListener("afterprint", () => {
  for (const details of opened.splice(0)) details.open = false;
});
