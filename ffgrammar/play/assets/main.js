// The page: its state, what is asked when the state changes, and what is shown.
import { afterQuiet, ask, oneAtATime } from "./ask.js";
import { curves } from "./chart.js";
import { byId, el, number, replace } from "./dom.js";
import { makeEditor } from "./editor.js";
import { showCoverings, showGap } from "./gap.js";
import { fromFragment, toFragment } from "./link.js";
import { ModelPanel } from "./model.js";
import { RailroadPanel } from "./railroads.js";
import { showOwn, TokenStrip } from "./text.js";
import { TriePanel } from "./trie.js";

const PANELS = ["here", "allowed", "coverings", "rails", "model"];

// All that a link restores. `tokens` are the ids of the text; null if the tokenizer makes them.
const state = { tokenizer: "", kind: "json-schema", compact: false, source: "", text: "", tokens: null, special: false, at: -1, inside: 0, panel: "here", prompt: "" };
let version = 0;
let gap = null;
let pictured = "";
// Whether the text was changed by hand, so that the place is where its caret is.
let caretCounts = false;

const grammarFields = () => ({ tokenizer: state.tokenizer, kind: state.kind, source: state.source, compact: state.compact });
const textFields = () => ({ ...grammarFields(), ...(state.tokens ? { tokens: state.tokens } : { text: state.text, special: state.special }) });
const placeFields = () => ({ ...textFields(), at: strip.at, inside: state.inside });

const editor = makeEditor({
  parent: byId("editor"),
  label: "Grammar",
  nonce: document.querySelector("meta[name=nonce]").content,
  onChange: (source) => {
    if (source === state.source) return;
    state.source = source;
    followText();
  },
});
const strip = new TokenStrip(byId("tokens"), (at) => {
  state.at = at;
  state.inside = 0;
  draw();
  followPlace();
});
const trie = new TriePanel(byId("allowed"), placeFields, (token) => takeTokens([token]));
const rails = new RailroadPanel(byId("rails"));
const model = new ModelPanel(byId("model"), placeFields, (tokens) => takeTokens(tokens));

// ---- asking

const followText = oneAtATime(async () => {
  const answer = await ask("text", { ...textFields(), version });
  if (!answer) return;
  const failed = answer.error;
  byId("state").classList.toggle("wrong", Boolean(failed));
  if (failed) {
    const line = failed.to > 0 ? `line ${Array.from(state.source).slice(0, failed.from).filter((one) => one === "\n").length + 1}: ` : "";
    byId("state").textContent = `${failed.kind}: ${line}${failed.message}`;
    editor.setMarks(failed.to > 0 || failed.kind !== "connection" ? [{ from: failed.from, to: failed.to, severity: "error", message: failed.message }] : []);
    version = 0;
    return;
  }
  if (version === 0) editor.setMarks([]);
  version = answer.version;
  if (answer.millis !== null) {
    byId("state").textContent = `compiled in ${number(answer.millis)} ms`;
    showWarnings();
  } else if (!byId("state").textContent.startsWith("compiled")) byId("state").textContent = "compiled";
  strip.take(answer);
  if (caretCounts) placeCaret();
  caretCounts = false;
  if (state.at < 0 || state.at > answer.size) strip.mark(answer.size);
  else strip.mark(state.at);
  showVerdict(answer);
  showOwn(byId("own"), answer.canonical);
  draw();
  followPlace();
  saveLink();
});

const followPlace = afterQuiet(60, oneAtATime(async () => {
  const answer = await ask("gap", placeFields());
  if (!answer) return;
  if (answer.error) {
    gap = null;
    return replace(byId("here"), el("p", { className: "note" }, answer.error.message));
  }
  gap = answer;
  showPanel();
  saveLink();
}));

async function showPanel() {
  if (state.panel === "here" && gap) showGap(byId("here"), gap);
  if (state.panel === "coverings" && gap) showCoverings(byId("coverings"), gap.coverings);
  if (state.panel === "allowed") trie.show();
  if (state.panel === "rails") {
    const key = JSON.stringify(grammarFields());
    if (key !== pictured) {
      const answer = await ask("railroads", grammarFields());
      if (!answer) return;
      pictured = answer.error ? "" : key;
      rails.show(answer);
    }
    rails.light(gap?.live ?? []);
  }
}

async function showWarnings() {
  const answer = await ask("grammar", grammarFields());
  if (answer) replace(byId("warnings"), ...(answer.warnings ?? []).map((one) => el("li", {}, one)));
}

// ---- showing

function showVerdict(answer) {
  const parts = [`${number(answer.size)} tokens`];
  if (answer.stopped) parts.push(`followed up to token ${answer.accepted}: ${answer.stopped}`);
  else if (answer.accepted < answer.size) parts.push(`rejected at token ${answer.accepted}`);
  else parts.push(answer.ends ? "a text of the grammar" : "the beginning of a text of the grammar");
  if (answer.canonical) parts.push(`canonical: ${answer.canonical.verdict}`);
  byId("verdict").textContent = parts.join("; ");
  byId("verdict").classList.toggle("wrong", answer.accepted < answer.size);
}

function draw() {
  curves(byId("curve"), strip.kept.allowed, strip.kept.micros, strip.at, (at) => strip.pick(at, true));
}

function choosePanel(name, focus) {
  state.panel = name;
  for (const one of PANELS) {
    byId(one).hidden = one !== name;
    const tab = byId(`tab-${one}`);
    tab.setAttribute("aria-selected", String(one === name));
    tab.tabIndex = one === name ? 0 : -1;
    if (focus && one === name) tab.focus();
  }
  showPanel();
  saveLink();
}

// ---- changing

// Tokens that follow the place, in place of what stood there.
function takeTokens(tokens) {
  const before = strip.kept.tokens.slice(0, strip.at).map(([id]) => id);
  state.tokens = [...before, ...tokens];
  state.at = state.tokens.length;
  state.inside = 0;
  strip.at = Math.min(strip.at, state.at);
  version = 0;
  showMode();
  followText();
}

function showMode() {
  byId("as-ids").checked = state.tokens !== null;
  byId("as-text").checked = state.tokens === null;
  byId("text").value = state.tokens === null ? state.text : state.tokens.join(" ");
  byId("special").disabled = state.tokens !== null;
}

function readText() {
  const value = byId("text").value;
  if (state.tokens === null) state.text = value;
  else state.tokens = (value.match(/\d+/g) ?? []).map(Number).filter(Number.isSafeInteger);
  caretCounts = true;
  followText();
}

// The place is where the caret is, perhaps inside a token.
function placeCaret() {
  const area = byId("text");
  if (state.tokens !== null) {
    state.at = (area.value.slice(0, area.selectionStart).match(/\d+/g) ?? []).length;
    return;
  }
  const bytes = new TextEncoder().encode(area.value.slice(0, area.selectionStart)).length;
  state.at = bytes === new TextEncoder().encode(area.value).length ? -1 : findToken(bytes);
  state.inside = state.at < 0 ? 0 : bytes - before(state.at);
}

const before = (at) => strip.kept.bytes.slice(0, at).reduce((sum, one) => sum + one, 0);

function findToken(bytes) {
  let sum = 0;
  for (const [at, size] of strip.kept.bytes.entries()) {
    if (sum + size > bytes) return at;
    sum += size;
  }
  return strip.kept.bytes.length;
}

function fill(select, names) {
  select.append(...names.map((one) => el("option", { value: one }, one)));
}

async function loadExample(name) {
  const found = await ask("example", { name });
  if (!found || found.error) return;
  Object.assign(state, { kind: found.kind, source: found.source, text: found.text, tokens: null, at: -1, inside: 0, compact: false, special: found.kind === "structural-tag" });
  showState();
  followText();
}

function showState() {
  version = 0;
  for (const name of ["tokenizer", "kind"]) byId(name).value = state[name];
  for (const name of ["compact", "special"]) byId(name).checked = state[name];
  byId("compact-label").hidden = state.kind !== "json-schema";
  editor.setKind(state.kind);
  if (editor.text !== state.source) editor.text = state.source;
  showMode();
}

let saved = "";
const saveLink = afterQuiet(300, async () => {
  state.at = strip.at;
  saved = await toFragment(state);
  history.replaceState(null, "", saved);
});

// ---- the start

function listen() {
  byId("kind").addEventListener("change", (event) => {
    state.kind = event.target.value;
    showState();
    followText();
  });
  byId("tokenizer").addEventListener("change", (event) => {
    state.tokenizer = event.target.value;
    state.tokens = null;
    showState();
    followText();
  });
  for (const name of ["compact", "special"]) {
    byId(name).addEventListener("change", (event) => {
      state[name] = event.target.checked;
      followText();
    });
  }
  byId("example").addEventListener("change", (event) => event.target.value && loadExample(event.target.value));
  byId("text").addEventListener("input", readText);
  for (const event of ["keyup", "click"]) {
    byId("text").addEventListener(event, () => {
      placeCaret();
      strip.mark(state.at < 0 ? strip.kept.tokens.length : state.at);
      draw();
      followPlace();
    });
  }
  byId("as-text").addEventListener("change", () => {
    state.tokens = null;
    showState();
    followText();
  });
  byId("as-ids").addEventListener("change", () => {
    state.tokens = strip.kept.tokens.map(([id]) => id);
    showMode();
    followText();
  });
  byId("copy").addEventListener("click", async () => {
    const link = new URL(await toFragment({ ...state, at: strip.at }), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      byId("copied").textContent = "copied";
    } catch {
      byId("copied").textContent = "the address of the page is the link";
    }
  });
  for (const name of PANELS) byId(`tab-${name}`).addEventListener("click", () => choosePanel(name));
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) choosePanel(PANELS[(PANELS.indexOf(state.panel) + step + PANELS.length) % PANELS.length], true);
  });
  addEventListener("hashchange", () => location.hash !== saved && restore(location.hash));
}

async function restore(fragment) {
  const found = await fromFragment(fragment, state);
  if (!found) return false;
  Object.assign(state, found);
  if (!PANELS.includes(state.panel)) state.panel = "here";
  showState();
  choosePanel(state.panel);
  followText();
  return true;
}

async function begin() {
  const start = await ask("start", {});
  if (start.error) return replace(document.querySelector("main"), el("p", { className: "note" }, start.error.message));
  fill(byId("kind"), start.kinds);
  fill(byId("tokenizer"), start.tokenizers);
  fill(byId("example"), start.examples);
  state.tokenizer = start.tokenizers[0];
  byId("text").maxLength = start.most.text;
  listen();
  const restored = await restore(location.hash);
  model.build(start.model, state.prompt, start.most, (prompt) => {
    state.prompt = prompt;
    saveLink();
  });
  if (restored) return;
  if (start.opening) {
    Object.assign(state, start.opening);
    showState();
    followText();
  } else loadExample("function_call");
}

begin();
