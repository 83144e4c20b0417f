// Elements, made without HTML: every text becomes a text node, whatever is in it.

export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

export const replace = (parent, ...children) => parent.replaceChildren(...children.filter(Boolean));

// A token as a label in other texts.
export const chip = (text, kind = "chosen") => el("span", { className: `token ${kind}` }, text || "\u2205");

export function table(titles, rows, label) {
  return el(
    "div",
    { className: "scrolls", tabIndex: 0, role: "region", "aria-label": label },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...titles.map((one) => el("th", { scope: "col" }, one)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((one) => el("td", {}, one))))),
    ),
  );
}

export const number = (value) => value.toLocaleString("en");

export const percent = (share) => (share >= 0.001 ? `${(100 * share).toFixed(1)} %` : share > 0 ? "< 0.1 %" : "0 %");
