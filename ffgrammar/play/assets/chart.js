// The curve along the text: how many tokens might come before each token, and how long the mask took.
import { el, number, svg } from "./dom.js";

const WIDTH = 600;
const HEIGHT = 70;

function line(values, low, high, kind) {
  const x = (at) => (values.length > 1 ? (at * WIDTH) / (values.length - 1) : WIDTH / 2);
  const scaled = (value) => (Math.log10(Math.max(value, low)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low) || 1);
  const points = values.map((value, at) => `${x(at).toFixed(1)},${(HEIGHT - 4 - scaled(value) * (HEIGHT - 8)).toFixed(1)}`);
  return svg("polyline", { points: points.join(" "), class: kind });
}

function one(title, values, unit, low, kind, at) {
  const high = Math.max(...values, low * 10);
  const most = Math.max(...values);
  const least = Math.min(...values);
  const mark = values.length > 1 ? (at * WIDTH) / (values.length - 1) : WIDTH / 2;
  const said = `${title}: from ${number(least)} to ${number(most)}${unit} over ${values.length} places`;
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": said },
    svg("line", { x1: mark, x2: mark, y1: 0, y2: HEIGHT, class: "mark" }),
    line(values, low, high, kind),
  );
  const here = at < values.length ? `here ${number(values[at])}${unit}, ` : "";
  return [el("p", { className: "caption" }, `${title}: ${here}at most ${number(most)}${unit}`), picture];
}

// `onPick` gets the number of the token whose place was clicked.
export function curves(parent, allowed, micros, at, onPick) {
  if (!allowed.length) return parent.replaceChildren();
  const drawn = [...one("Allowed tokens", allowed, "", 1, "size", at), ...one("Time of the mask", micros, " \u00b5s", 0.1, "time", at)];
  for (const picture of drawn.filter((each) => each.tagName === "svg")) {
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      onPick(Math.round(((event.clientX - box.left) / box.width) * (allowed.length - 1)));
    });
  }
  parent.replaceChildren(...drawn, el("figcaption", {}, "Both scales are logarithmic. A time that is known already is near zero."));
}
