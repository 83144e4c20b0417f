// The railroad diagrams: copied element by element, so that nothing but shapes, texts and links within the page comes in.
import { el, replace, svg } from "./dom.js";

const TAGS = new Set(["svg", "g", "path", "rect", "text", "title", "desc", "a"]);
const ATTRIBUTES = new Set(["viewBox", "width", "height", "role", "id", "class", "d", "x", "y", "rx", "text-anchor", "data-lexeme", "data-rules"]);

function copied(element) {
  const made = svg(element.localName);
  for (const { name, value } of element.attributes) {
    if (ATTRIBUTES.has(name)) made.setAttribute(name, name === "id" ? `rails-${value}` : value);
    else if (name === "href" && /^#rule-\d+$/.test(value)) made.setAttribute("href", `#rails-${value.slice(1)}`);
  }
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE && TAGS.has(child.localName)) made.append(copied(child));
  }
  return made;
}

export class RailroadPanel {
  constructor(parent) {
    this.parent = parent;
    this.picture = null;
  }

  show(answer) {
    const why = answer.error?.message ?? answer.why;
    if (why) {
      this.picture = null;
      return replace(this.parent, el("h2", {}, "Railroads"), el("p", { className: "note" }, why));
    }
    const document = new DOMParser().parseFromString(answer.svg, "image/svg+xml");
    this.picture = copied(document.documentElement);
    this.picture.setAttribute("role", "group"); // (an image would hide the links in it)
    this.picture.setAttribute("aria-label", "Railroad diagrams of the rules");
    this.picture.addEventListener("click", (event) => this.follow(event));
    this.said = el("p", { role: "status", id: "lit" });
    const about = "Lit and thick: lexemes that are being read here (solid) or may begin (dashed), in the rules that wait for them.";
    replace(
      this.parent,
      el("h2", {}, "Railroads"),
      el("p", {}, about),
      this.said,
      el("div", { className: "scrolls", tabIndex: 0, role: "region", "aria-label": "Diagrams" }, this.picture),
    );
  }

  // A link leads to a rule's diagram; the fragment of the address has the state, so it stays as it is.
  follow(event) {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    this.picture.querySelector(`[id="${CSS.escape(link.getAttribute("href").slice(1))}"]`)?.scrollIntoView({ block: "center" });
  }

  light(live) {
    if (!this.picture) return;
    for (const box of this.picture.querySelectorAll(".read, .next")) box.classList.remove("read", "next");
    const names = new Set();
    for (const { lexeme, rules, read } of live) {
      const boxes = [...this.picture.querySelectorAll(`[data-lexeme="${Number(lexeme)}"]`)];
      const waiting = boxes.filter((box) => box.closest("[data-rules]")?.dataset.rules.split(" ").some((one) => rules.includes(Number(one))));
      for (const box of waiting.length ? waiting : boxes) {
        box.classList.add(read ? "read" : "next");
        names.add(`${box.querySelector("text").textContent}${read ? " (being read)" : ""}`);
      }
    }
    this.said.textContent = names.size ? `Lit: ${[...names].slice(0, 12).join(", ")}${names.size > 12 ? " and others" : ""}` : "Nothing is lit here.";
  }
}
