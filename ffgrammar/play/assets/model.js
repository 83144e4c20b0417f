// What a language model says: panel "Model".
import { ask } from "./ask.js";
import { chip, el, percent, replace, table } from "./dom.js";

const bar = (share) => el("meter", { min: 0, max: 1, value: share, "aria-label": percent(share) });

export class ModelPanel {
  // `where` returns the fields that name the grammar and the place; `onTake` gets a list of token ids that follow the place.
  constructor(parent, where, onTake) {
    this.where = where;
    this.onTake = onTake;
    this.parent = parent;
  }

  // `most` has the greatest values of `steps` and `forks`.
  build(hasModel, prompt, most, onPrompt) {
    if (!hasModel) {
      const how = "Start the playground with a model to see its probabilities: ";
      return replace(this.parent, el("h2", {}, "Model"), el("p", {}, how, el("code", {}, "ffgrammar play --model PATH")));
    }
    const input = (id, label, value, properties) => el("label", {}, `${label} `, el("input", { id, value, ...properties }));
    this.prompt = el("textarea", { id: "prompt", rows: 2, value: prompt, "aria-label": "Prompt before the text" });
    this.prompt.addEventListener("input", () => onPrompt(this.prompt.value));
    this.out = el("div", { id: "model-out", "aria-live": "polite" });
    const button = (id, text, work) => {
      const made = el("button", { type: "button", id }, text);
      made.addEventListener("click", () => work());
      return made;
    };
    this.options = el("textarea", { id: "options", rows: 3, "aria-label": "Options, one a line" });
    replace(
      this.parent,
      el("h2", {}, "Model"),
      el("label", { className: "wide" }, "Prompt before the text", this.prompt),
      el(
        "div",
        { className: "row" },
        input("temperature", "Temperature", "0", { type: "number", min: 0, max: 10, step: 0.1 }),
        input("seed", "Seed", "0", { type: "number", min: 0, step: 1 }),
        input("steps", "Tokens", "16", { type: "number", min: 1, max: most.steps }),
        input("forks", "Forks", "3", { type: "number", min: 1, max: most.forks }),
      ),
      el("div", { className: "row" }, button("next", "Next tokens", () => this.next()), button("step", "One step", () => this.step()), button("write", "Write forks", () => this.write())),
      this.out,
      el("h3", {}, "Choose one of several texts"),
      el("label", { className: "wide" }, "Options, one a line", this.options),
      button("select", "Compare", () => this.select()),
    );
    this.selected = el("div", { id: "selected", "aria-live": "polite" });
    this.parent.append(this.selected);
  }

  number(id) {
    return Number(this.parent.querySelector(`#${id}`).value);
  }

  async asked(name, more, out = this.out) {
    const answer = await ask(name, { ...this.where(), prompt: this.prompt.value, ...more });
    if (!answer?.error) return answer;
    replace(out, el("p", { className: "note" }, answer.error.message));
    return null;
  }

  take(token, text) {
    const made = el("button", { type: "button", className: "token chosen", "aria-label": `${text}: take it` }, text);
    made.addEventListener("click", () => this.onTake([token]));
    return made;
  }

  async next() {
    const found = await this.asked("next", {});
    if (!found) return;
    const rows = found.allowed.map((one) => [this.take(one.token, one.text), percent(one.probability), bar(one.probability)]);
    const refused = found.refused.map((one) => [chip(one.text, "rejected"), percent(one.probability), bar(one.probability)]);
    replace(
      this.out,
      el("p", { id: "mass" }, `The grammar allows ${percent(found.mass)} of the probability.`),
      table(["may come", "probability", ""], rows, "Tokens that may come"),
      table(["refused", "probability", ""], refused, "Tokens that are refused"),
    );
  }

  settings() {
    return { temperature: this.number("temperature"), seed: this.number("seed") };
  }

  async step() {
    const found = await this.asked("write", { ...this.settings(), steps: 1, forks: 1 });
    if (!found) return;
    const [fork] = found.forks;
    replace(this.out, this.trace(fork));
    if (fork.tokens.length) this.onTake(fork.tokens.map((one) => one.token));
  }

  async write() {
    const found = await this.asked("write", { ...this.settings(), steps: this.number("steps"), forks: this.number("forks") });
    if (!found) return;
    const items = found.forks.map((fork, at) => {
      const take = el("button", { type: "button" }, `Take fork ${at + 1}`);
      take.addEventListener("click", () => this.onTake(fork.tokens.map((one) => one.token)));
      return el("li", {}, this.trace(fork), take);
    });
    replace(this.out, el("ol", { className: "forks" }, ...items));
  }

  trace(fork) {
    const rows = fork.tokens.map((one) => [
      chip(one.text, one.kind),
      one.kind,
      one.probability === null ? "" : percent(one.probability),
      el("span", { className: "strip" }, ...one.others.map((other) => el("span", {}, chip(other.text), ` ${percent(other.probability)} `))),
      one.refused ? el("span", {}, chip(one.refused.text, "rejected"), ` ${percent(one.refused.probability)}`) : "",
    ]);
    const said = `log-probability ${fork.log_prob.toFixed(3)}${fork.ended ? ", ended" : ""}`;
    return el("div", {}, el("p", { className: "caption" }, said), table(["token", "why", "probability", "others", "refused"], rows, "Trace"));
  }

  async select() {
    const options = this.options.value.split("\n").filter((one) => one);
    const found = await this.asked("select", { options }, this.selected);
    if (!found) return;
    const rows = found.rows.map((one) => [
      el("span", { className: "strip" }, ...one.tokens.map((text) => chip(text))),
      percent(one.probability),
      bar(one.probability),
      one.option === found.best ? "best" : "",
    ]);
    replace(this.selected, table(["option", "probability", "", ""], rows, "Options"), el("p", { className: "note" }, `The model was asked about ${found.calls} token sequences.`));
  }
}
