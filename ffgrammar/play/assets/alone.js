// Asks a worker that has the engine, where there is no server. It answers one question at a time.

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
let asked = null;

document.getElementById("state").textContent = "the engine is loading";

// The answer; null if a newer question of the same kind was asked meanwhile.
export function askWorker(name, values) {
  waiting.get(name)?.take(null);
  if (asked?.name === name) asked.old = true;
  return new Promise((take) => {
    waiting.set(name, { name, values, take, old: false });
    askNext();
  });
}

function askNext() {
  if (asked || waiting.size === 0) return;
  asked = waiting.values().next().value;
  waiting.delete(asked.name);
  worker.postMessage([asked.name, JSON.stringify(asked.values)]);
}

worker.addEventListener("message", ({ data }) => {
  const { old, take } = asked;
  asked = null;
  take(old ? null : JSON.parse(data));
  askNext();
});
