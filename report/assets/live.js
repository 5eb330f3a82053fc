"use strict";

/* Pages of a server that are read anew whenever what they are about has changed. */
(() => {
  const place = document.getElementById("live");
  if (!place) return;
  let reading = false;

  // Address of the run that was asked about once: whether it is to end.
  let asked = "";

  /** What tells a control from others across two readings of the page. */
  function nameOf(control) {
    return control.getAttribute("href") || control.dataset.stop || control.value || null;
  }

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
      const name = place.contains(focused) ? nameOf(focused) : null;
      place.replaceChildren(...read.childNodes);
      place.dataset.state = read.dataset.state;
      for (const box of place.querySelectorAll("input")) box.checked = chosen.has(box.value);
      tell();
      if (name) [...place.querySelectorAll("a, input, button")].find((one) => nameOf(one) === name)?.focus();
    } finally {
      reading = false;
    }
  }

  /** Let the button say that it has been pressed once. */
  function tell() {
    for (const button of place.querySelectorAll("button[data-stop]")) {
      button.textContent = button.dataset.stop === asked ? "Stop it? Press once more" : "Stop this run";
    }
  }

  /** Ask for the end of a run; a second press within a few seconds means it. */
  async function stop(button) {
    const address = button.dataset.stop;
    if (asked !== address) {
      asked = address;
      tell();
      setTimeout(() => {
        asked = "";
        tell();
      }, 5000);
      return;
    }
    asked = "";
    button.disabled = true;
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    if (answer.ok) refresh();
    else button.textContent = `Not stopped: ${(await answer.json()).error}`;
  }

  place.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-stop]");
    if (button) stop(button);
  });

  const events = new EventSource(`events${location.search}`);
  events.addEventListener("message", (event) => {
    if (event.data !== place.dataset.state) refresh();
  });
})();
