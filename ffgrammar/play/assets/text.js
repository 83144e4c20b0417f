// The tokens of the text, as buttons. A button stands for the place before its token; the last one for the end.
import { chip, el, replace } from "./dom.js";

const KINDS = { c: "chosen", f: "forced", r: "rejected", a: "after" };
const SAID = { chosen: "chosen", forced: "forced", rejected: "rejected", after: "not reached", strange: "not canonical" };

export class TokenStrip {
  // `onPick` gets the number of a token.
  constructor(parent, onPick) {
    this.parent = parent;
    this.onPick = onPick;
    this.at = 0;
    this.kept = { tokens: [], codes: "", bytes: [], allowed: [], micros: [] };
    parent.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.pick(this.indexOf(button), true);
    });
    parent.addEventListener("keydown", (event) => this.moved(event));
  }

  indexOf(button) {
    return Array.prototype.indexOf.call(this.parent.children, button);
  }

  moved(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.pick(Math.max(0, Math.min(this.parent.children.length - 1, this.at + steps[event.key])), true);
    this.parent.children[this.at].focus();
  }

  // Take an answer of the server, which leaves out the first `keep` tokens.
  take(answer) {
    const { keep } = answer;
    for (const name of ["tokens", "bytes", "allowed", "micros"]) {
      this.kept[name] = [...this.kept[name].slice(0, keep), ...answer[name]];
    }
    this.kept.codes = this.kept.codes.slice(0, keep) + answer.codes;
    this.strange = new Set(answer.canonical?.strange ?? []);
    this.accepted = answer.accepted;
    while (this.parent.children.length > keep) this.parent.lastChild.remove();
    const made = document.createDocumentFragment();
    for (let at = keep; at < answer.size; at++) made.append(this.button(at));
    made.append(el("button", { type: "button", className: "end", tabIndex: -1, "aria-label": "the end of the text" }, "end"));
    this.parent.append(made);
    this.mark(Math.min(this.at, answer.size));
  }

  kinds(at) {
    const kind = KINDS[this.kept.codes[at]] ?? "after";
    return this.strange.has(at) ? [kind, "strange"] : [kind];
  }

  button(at) {
    const [id, text] = this.kept.tokens[at];
    const kinds = this.kinds(at);
    const said = kinds.map((one) => SAID[one]).join(", ");
    const title = `token ${at}, id ${id}: ${said}`;
    const label = `${text}, ${title}`;
    return el("button", { type: "button", className: `token ${kinds.join(" ")}`, tabIndex: -1, title, "aria-label": label }, text || "\u2205");
  }

  // The place that is shown: before a token.
  mark(at) {
    const buttons = this.parent.children;
    buttons[this.at]?.removeAttribute("aria-current");
    if (buttons[this.at]) buttons[this.at].tabIndex = -1;
    this.at = at;
    buttons[at]?.setAttribute("aria-current", "location");
    if (buttons[at]) buttons[at].tabIndex = 0;
  }

  pick(at, told) {
    this.mark(at);
    if (told) this.onPick(at);
  }
}

// The tokens that the tokenizer itself would write, below those that were given.
export function showOwn(parent, canonical) {
  if (!canonical || !canonical.strange.length) return replace(parent);
  const verdict = { yes: "canonical", no: "not canonical", undecided: "not decided: it depends on what follows" }[canonical.verdict];
  replace(
    parent,
    el("h3", {}, "The tokenizer itself would write"),
    el("p", { className: "strip" }, ...canonical.expected.map(([, text]) => chip(text))),
    el("p", { className: "note" }, `The given tokens: ${verdict}.`),
  );
}
