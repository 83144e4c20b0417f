// What may and what must come at a place: panels "This place" and "Coverings".
import { chip, el, number, replace, table } from "./dom.js";

const listed = (names) => (names.length ? names.slice(0, 4).join(", ") + (names.length > 4 ? " and others" : "") : "");

const strip = (tokens) => el("p", { className: "strip" }, ...tokens.map(([, text]) => chip(text)));

function forced(found) {
  const parts = [el("h3", {}, "What must come")];
  if (!found.size) return [...parts, el("p", { id: "forced-bytes" }, "Nothing: several bytes may come.")];
  parts.push(el("p", { id: "forced-bytes" }, `${number(found.size)} bytes: `, chip(found.bytes, "forced")));
  parts.push(el("p", { id: "forced-tokens" }, found.tokens.length ? "Tokens: " : "No token is certain yet.", ...found.tokens.map(([, text]) => chip(text, "forced"))));
  if (found.held) parts.push(el("p", { id: "held" }, "Held back: ", chip(found.held, "after"), ` because ${found.why}.`));
  return parts;
}

function masks(found) {
  const parts = [el("h3", {}, "What may come"), el("p", { id: "count" }, `${number(found.plain)} tokens that spell a text of the grammar`)];
  if (found.canonical === undefined) return [...parts, el("p", { className: "note" }, `Canonical tokens: ${found.why}.`)];
  parts.push(el("p", { id: "count-canonical" }, `${number(found.canonical)} of them that the tokenizer itself would write there`));
  if (found.own.length) parts.push(el("h4", {}, "Canonical, the first ones"), strip(found.own));
  if (found.others.length) parts.push(el("h4", {}, `Not canonical, ${number(found.only)}`), strip(found.others));
  return parts;
}

function lexemes(title, rows, id) {
  if (!rows.length) return [];
  const cells = rows.map((one) => [one.name || "\u2014", el("code", {}, one.needs ?? one.pattern), listed(one.rules)]);
  return [el("h3", { id }, title), table(["lexeme", "needs", "for the rules"], cells, title)];
}

function open(found) {
  if (!found.length) return [];
  const items = found.map((one) => el("li", {}, el("code", {}, one.name || "the whole value"), ` since byte ${one.start}`));
  return [el("h3", {}, "Open"), el("ul", {}, ...items)];
}

export function showGap(parent, gap) {
  const told = gap.explanation;
  replace(
    parent,
    el("h2", {}, `At byte ${gap.offset}, line ${told.line}, column ${told.column}`),
    el("p", {}, gap.ends ? "The text may end here." : "The text may not end here."),
    ...forced(gap.forced),
    ...masks(gap.masks),
    ...open(told.open),
    ...lexemes("Being read", told.reading, "reading"),
    ...lexemes(told.reading.length ? "May follow" : "May begin", told.expected, "expected"),
    el("details", {}, el("summary", {}, "The same as text"), el("pre", { tabIndex: 0 }, gap.said)),
  );
}

export function showCoverings(parent, found) {
  const rows = found.list.map((one) => [
    el("span", { className: "strip" }, one.before ? `${one.before} before, ` : "", ...one.kept.map(([, text]) => chip(text))),
    el("code", {}, one.rest || "\u2205"),
    number(one.count),
    el("span", { className: "strip" }, ...one.candidates.map(([, text]) => chip(text)), one.count > one.candidates.length ? "\u2026" : ""),
  ]);
  const about = "Every canonical text that begins with the text before this place begins with the kept tokens of one row, and one of its last tokens.";
  replace(
    parent,
    el("h2", {}, "Coverings of the text before this place"),
    el("p", {}, about),
    found.why ? el("p", { className: "note" }, found.why) : null,
    rows.length ? table(["kept", "rest", "how many", "last tokens"], rows, "Coverings") : el("p", {}, "There are none: no text is before this place."),
  );
}
