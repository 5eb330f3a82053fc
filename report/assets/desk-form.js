"use strict";

/* A form made of the JSON schema of a tool's parameters, and the arguments that are filled in. */
window.Worktrial = window.Worktrial || {};

(() => {
  const { el } = Worktrial;
  const DEEP = 4; // objects within each other that get fields of their own
  let made = 0;

  /** The schema that a schema with `$ref`, or with null as a choice, amounts to for a form. */
  function plain(schema, root, steps = 0) {
    if (schema === null || typeof schema !== "object" || steps > 20) return {};
    if (typeof schema.$ref === "string") {
      const found = schema.$ref.startsWith("#/")
        ? schema.$ref.slice(2).split("/").reduce((at, key) => (at && typeof at === "object" && Object.hasOwn(at, unescaped(key)) ? at[unescaped(key)] : undefined), root)
        : undefined;
      const { $ref, ...beside } = schema;
      return plain({ ...(found || {}), ...beside }, root, steps + 1);
    }
    const choices = schema.anyOf || schema.oneOf;
    if (Array.isArray(choices)) {
      const real = choices.filter((one) => one?.type !== "null");
      const { anyOf, oneOf, ...beside } = schema;
      if (real.length === 1) return plain({ ...real[0], ...beside, nullable: real.length < choices.length }, root, steps + 1);
      return beside;
    }
    if (Array.isArray(schema.type)) {
      const real = schema.type.filter((one) => one !== "null");
      if (real.length === 1) return { ...schema, type: real[0], nullable: real.length < schema.type.length };
      const { type, ...beside } = schema;
      return beside;
    }
    return schema;
  }

  const unescaped = (key) => key.replaceAll("~1", "/").replaceAll("~0", "~");

  /** A value that is left out. */
  const NOTHING = Symbol("nothing");

  /**
   * Fields for one value.
   * @returns {{element: Element, value: () => unknown}} `value` throws an Error that names the field
   */
  function fieldOf(name, given, root, required, depth) {
    const schema = plain(given, root);
    const about = typeof schema.description === "string" ? schema.description : "";
    const label = `${name}${required ? "" : " (optional)"}`;
    const wrap = (input, hint = "") => {
      const id = `field-${(made += 1)}`;
      const told = [about, hint].filter(Boolean).join(" · ");
      const note = told ? el("span", { class: "about", id: `${id}-about` }, told) : null;
      if (note) input.setAttribute("aria-describedby", note.id);
      input.dataset.field = name;
      return el("label", { class: "field" }, el("span", {}, label), input, note);
    };
    if (Array.isArray(schema.enum) && schema.enum.every((one) => one === null || typeof one !== "object")) {
      const values = schema.enum;
      const input = el(
        "select",
        { required },
        el("option", { value: "" }, required ? "choose" : "left out"),
        values.map((one, n) => el("option", { value: n }, String(one))),
      );
      return { element: wrap(input), value: () => (input.value === "" ? NOTHING : values[Number(input.value)]) };
    }
    if (schema.type === "boolean") {
      const input = el("select", { required }, el("option", { value: "" }, required ? "choose" : "left out"), el("option", { value: "yes" }, "yes"), el("option", { value: "no" }, "no"));
      return { element: wrap(input), value: () => (input.value === "" ? NOTHING : input.value === "yes") };
    }
    if (schema.type === "integer" || schema.type === "number") {
      const input = el("input", {
        type: "number",
        required,
        step: schema.type === "integer" ? 1 : "any",
        min: typeof schema.minimum === "number" ? schema.minimum : null,
        max: typeof schema.maximum === "number" ? schema.maximum : null,
      });
      return { element: wrap(input), value: () => (input.value === "" ? NOTHING : Number(input.value)) };
    }
    if (schema.type === "string") {
      const long = typeof schema.maxLength === "number" && schema.maxLength > 300;
      const input = long ? el("textarea", { required }) : el("input", { type: "text", required, autocomplete: "off", spellcheck: "false" });
      const hint = typeof schema.pattern === "string" ? `as ${schema.pattern}` : "";
      return { element: wrap(input, hint), value: () => (input.value === "" ? NOTHING : input.value) };
    }
    const properties = schema.properties;
    if (schema.type === "object" && properties && typeof properties === "object" && Object.keys(properties).length && depth < DEEP) {
      const inner = objectOf(schema, root, depth + 1, required);
      return {
        element: el("fieldset", { class: "group" }, el("legend", {}, label), about ? el("span", { class: "about" }, about) : null, inner.elements),
        value: () => {
          const found = inner.value();
          return !required && !Object.keys(found).length ? NOTHING : found;
        },
      };
    }
    const items = schema.type === "array" ? plain(schema.items, root) : null;
    if (items && items.type === "string") {
      const input = el("textarea", { required });
      const lines = () => input.value.split("\n").map((one) => one.trim()).filter(Boolean);
      return { element: wrap(input, "one in a line"), value: () => (lines().length || required ? lines() : NOTHING) };
    }
    const input = el("textarea", { class: "json", required, spellcheck: "false" });
    return { element: wrap(input, "JSON"), value: () => (input.value.trim() === "" ? NOTHING : parsed(input.value, name)) };
  }

  function parsed(text, name) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`${name}: no JSON (${error.message})`);
    }
  }

  function objectOf(schema, root, depth, required) {
    const needed = new Set(required && Array.isArray(schema.required) ? schema.required : []);
    const fields = Object.entries(schema.properties || {}).map(([name, inner]) => [name, fieldOf(name, inner, root, needed.has(name), depth)]);
    return {
      elements: fields.map(([, field]) => field.element),
      value() {
        const pairs = fields.map(([name, field]) => [name, field.value()]).filter(([, value]) => value !== NOTHING);
        return Object.fromEntries(pairs);
      },
    };
  }

  /**
   * Fields for a tool's arguments, with the arguments as JSON for what no field can say.
   * @param {object} schema of the parameters
   * @returns {{element: Element, value: () => unknown}}
   */
  Worktrial.argumentsForm = (schema) => {
    const root = schema && typeof schema === "object" ? schema : {};
    const fields = objectOf(plain(root, root), root, 0, true);
    const written = el("textarea", { class: "json", spellcheck: "false", "aria-label": "Arguments as JSON" });
    const place = el("div", { class: "desk-fields" }, fields.elements);
    let byHand = false;
    const turn = el("button", { type: "button", class: "quiet" }, "Write JSON");
    turn.addEventListener("click", () => {
      byHand = !byHand;
      if (byHand) {
        try {
          written.value = JSON.stringify(fields.value(), null, 2);
        } catch {
          written.value = "{}";
        }
      }
      place.replaceChildren(...(byHand ? [written] : fields.elements));
      turn.textContent = byHand ? "Fill in fields" : "Write JSON";
      place.querySelector("input, select, textarea")?.focus();
    });
    return { element: el("div", {}, place, turn), value: () => (byHand ? parsed(written.value, "Arguments") : fields.value()) };
  };
})();
