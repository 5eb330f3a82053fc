"use strict";

/* Pages of a server that are read anew whenever what they are about has changed. */
(() => {
  const place = document.getElementById("live");
  if (!place) return;
  let reading = false;

  /** Put the page as it is now in the place of the one that is shown; what is chosen and focused stays. */
  async function refresh() {
    if (reading) return;
    reading = true;
    try {
      const answer = await fetch(location.href);
      if (!answer.ok) return;
      const read = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
      const chosen = new Set([...place.querySelectorAll("input:checked")].map((box) => box.value));
      const focused = document.activeElement;
      const link = place.contains(focused) ? focused.getAttribute("href") || focused.value : null;
      place.replaceChildren(...read.childNodes);
      place.dataset.state = read.dataset.state;
      for (const box of place.querySelectorAll("input")) box.checked = chosen.has(box.value);
      if (link) [...place.querySelectorAll("a, input")].find((one) => (one.getAttribute("href") || one.value) === link)?.focus();
    } finally {
      reading = false;
    }
  }

  const events = new EventSource("events");
  events.addEventListener("message", (event) => {
    if (event.data !== place.dataset.state) refresh();
  });
})();
