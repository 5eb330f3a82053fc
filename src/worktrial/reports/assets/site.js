"use strict";

/* What every page does beside its tables. */
(() => {
  const opened = new Set();

  // Paper cannot be unfolded.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.open = true;
      opened.add(details);
    }
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened.clear();
  });
})();
