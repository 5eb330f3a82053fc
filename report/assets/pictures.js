"use strict";

/* Pictures of the pages that calls and the answer are about; drawn by `worktrial view` alone. */
(() => {
  const { el } = Worktrial;
  let turn = 0;
  let known = null;

  const folded = (run, pictures) =>
    pictures.map((one) =>
      Worktrial.details(`Page: ${one.caption}`, () => {
        const image = el("img", { class: "page-picture", src: `picture?${Worktrial.hash({ run: run.slug, name: one.name })}`, alt: `Picture of ${one.caption}` });
        image.addEventListener("error", () => image.replaceWith(el("p", { class: "warning" }, "There is no picture of this page: its file is gone, or has changed.")));
        return el("div", { class: "scroll", role: "region", "aria-label": `Picture of ${one.caption}`, tabindex: "0" }, image);
      }),
    );

  /** The pages that a call is about, folded; null where there are none, or where they are not known yet. */
  Worktrial.pictures = (index) => (known?.calls[index] ? folded(known.run, known.calls[index]) : null);

  async function show({ run, record }) {
    const own = (turn += 1);
    known = null;
    const key = { run: run.slug, sample: record.sample, repeat: record.repeat, condition: record.condition };
    const { calls } = await Worktrial.answerIn(await fetch(`pictures?${Worktrial.hash(key)}`));
    if (own !== turn || !Object.keys(calls).length) return;
    known = { run, calls };
    for (const article of document.querySelectorAll(".call")) article.refill?.();
    if (calls[-1]) document.getElementById("answer")?.append(...folded(run, calls[-1]));
  }

  document.addEventListener("worktrial-sample", (event) =>
    show(event.detail).catch((error) => Worktrial.say(`Pictures of pages are not shown: ${error.message}`)),
  );
})();
