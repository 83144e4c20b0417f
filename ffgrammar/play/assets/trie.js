// The allowed tokens as a trie, a search in them, and why a token may not come: panel "Tokens".
import { ask } from "./ask.js";
import { chip, el, number, replace, table } from "./dom.js";

export class TriePanel {
  // `where` returns the fields that name the grammar and the place; `onChoose` gets the id of a token.
  constructor(parent, where, onChoose) {
    this.where = where;
    this.onChoose = onChoose;
    this.search = el("input", { type: "search", id: "search", autocomplete: "off", maxLength: 100 });
    this.canonical = el("input", { type: "checkbox", id: "canonical" });
    this.refused = el("input", { type: "checkbox", id: "refused" });
    this.result = el("div", { id: "trie" });
    this.why = el("div", { id: "why", role: "status", "aria-live": "polite" });
    for (const input of [this.search, this.canonical, this.refused]) input.addEventListener("input", () => this.show());
    replace(
      parent,
      el("h2", {}, "Tokens at this place"),
      el(
        "div",
        { className: "row" },
        el("label", {}, "Search ", this.search),
        el("label", {}, this.canonical, " canonical only"),
        el("label", {}, this.refused, " those that may not come"),
      ),
      this.why,
      this.result,
    );
  }

  fields(more) {
    return { ...this.where(), canonical: this.canonical.checked, refused: this.refused.checked, ...more };
  }

  async show() {
    replace(this.why);
    const answer = await ask("trie", this.fields(this.search.value ? { search: this.search.value } : { prefix: "" }));
    if (!answer) return;
    const trouble = answer.error?.message ?? answer.why;
    if (trouble) return replace(this.result, el("p", { className: "note" }, trouble));
    replace(this.result, ...(answer.found ? this.found(answer) : [this.branches(answer, "")]));
  }

  found(answer) {
    const more = answer.count > answer.found.length ? `, of which ${answer.found.length} are shown` : "";
    const items = answer.found.map(([id, text]) => el("li", {}, this.token(id, text)));
    return [el("p", { id: "found" }, `${number(answer.count)} tokens${more}`), el("ul", { className: "trie" }, ...items)];
  }

  branches(answer, prefix) {
    const items = answer.here.map((id) => el("li", {}, "ends here: ", this.token(id, "\u2205")));
    for (const one of answer.branches) items.push(this.branch(one));
    for (const [id, text] of answer.special) items.push(el("li", {}, this.token(id, text)));
    if (answer.more) items.push(el("li", {}, `${number(answer.more)} more tokens`));
    if (!items.length) items.push(el("li", {}, "none"));
    return el("ul", { className: "trie", "aria-label": prefix ? "Tokens below" : "Tokens" }, ...items);
  }

  branch(one) {
    if (one.count === 1 && one.token !== null) return el("li", {}, this.token(one.token, one.text));
    const below = el("div", { hidden: true });
    const opener = el("button", { type: "button", className: "opener", "aria-expanded": "false" }, chip(one.text), ` ${number(one.count)}`);
    opener.addEventListener("click", async () => {
      const opens = opener.getAttribute("aria-expanded") === "false";
      opener.setAttribute("aria-expanded", String(opens));
      below.hidden = !opens;
      if (!opens || below.firstChild) return;
      const answer = await ask("trie", this.fields({ prefix: one.bytes }));
      if (answer && !answer.error) replace(below, this.branches(answer, one.bytes));
    });
    return el("li", {}, opener, below);
  }

  token(id, text) {
    const refused = this.refused.checked;
    const label = refused ? `${text}, id ${id}: why not?` : `${text}, id ${id}: take it`;
    const button = el("button", { type: "button", className: `token ${refused ? "rejected" : "chosen"}`, "aria-label": label }, text);
    button.addEventListener("click", () => (refused ? this.explain(id) : this.onChoose(id)));
    return el("span", {}, button, el("span", { className: "id" }, ` ${id}`));
  }

  async explain(id) {
    const found = await ask("why", this.fields({ token: id }));
    if (!found) return;
    if (found.error) return replace(this.why, el("p", { className: "note" }, found.error.message));
    const rows = [...found.reading, ...found.expected].map((one) => [one.name || "\u2014", el("code", {}, one.needs), one.rules.slice(0, 4).join(", ")]);
    const spelled = [el("span", { className: "fits" }, found.fits), el("span", { className: "dies" }, found.dies), el("span", { className: "rest" }, found.rest)];
    replace(
      this.why,
      el("h3", {}, found.refusal ? "Why not " : "It may come: ", chip(found.text, found.refusal ? "rejected" : "chosen")),
      found.dies ? el("p", { className: "spelled" }, "What fits, where it dies, what is left: ", ...spelled) : null,
      found.refusal ? el("p", { id: "refusal" }, found.refusal.message) : null,
      found.note ? el("p", { className: "note" }, found.note) : null,
      rows.length ? table(["waiting lexeme", "needs", "for the rules"], rows, "What waited there") : null,
      el("p", { className: "note" }, `Bytes that may come there: ${found.next || "none"}`),
    );
  }
}
