"""Text as a hostile model would write it: markup, script, and characters that break naive escaping."""

INJECTED = "worktrialInjected"
"""The global variable of a page that every attack tries to set: a browser test looks whether it is there."""

_SET = f"window.{INJECTED}=1"

ATTACKS = (
    f"<script>{_SET}</script>",
    f"</script><script>{_SET}</script>",
    f'"><img src=x onerror="{_SET}">',
    f"'><svg onload='{_SET}'>",
    f'<a href="javascript:{_SET}">open</a>',
    f"[open](javascript:{_SET}) ![x](https://example.invalid/x.png) **bold** `code` | cell |",
    f"<!--<script>{_SET}//--><style>body{{display:none}}</style>",
    f"${{{_SET}}} {{{{ {_SET} }}}} {{% print 1 %}} <%= 1 %>",
    "\u2028\u2029 \u202eright to left\u202c \u2066isolated\u2069 \ufeff\u200b zero width",
    "\x00\x01\x07\x1b[31mred\x1b[0m\x7f\x85 control",
    'quotes " \' ` \\ \\u003c \\" &lt;b&gt; &amp; ]]> 🦊 é e\u0301',
    "x" * 300,
)
"""One kind each."""

ALL = " ".join(ATTACKS)


def spoilt(text: str, number: int) -> str:
    """`text` with one attack after it; which one depends on `number` alone."""
    return f"{text} {ATTACKS[number % len(ATTACKS)]}"


OURS = """
(() => {
  const odd = [];
  for (const one of document.querySelectorAll("*")) {
    const name = one.localName;
    const foreign = ["iframe", "object", "embed", "base", "img", "video", "audio", "style"].includes(name);
    const script = name === "script" && one.type !== "application/json" && !one.src.startsWith(location.protocol);
    if (foreign || script) odd.push(one.outerHTML);
    if (name === "form" && one.getAttribute("action")) odd.push(one.outerHTML);
    for (const { name: key, value } of one.attributes) {
      if (key.startsWith("on") || key === "style" || key === "srcdoc") odd.push(`${name} ${key}=${value}`);
      const leads = ["href", "src", "xlink:href"].includes(key);
      if (leads && !/^(#|[a-z-]+[.]html(#|$)|assets[/]|data[/])/.test(value)) {
        odd.push(`${name} ${key}=${value}`);
      }
    }
  }
  return odd;
})()
"""
"""Script that returns what a page holds and no page of ours may: foreign elements, handlers, addresses."""
