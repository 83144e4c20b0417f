// Asks the server, or the worker where there is none. Of each kind of question only the newest one counts.

const alone = document.querySelector("meta[name=engine]").content === "worker" ? import("./alone.js") : null;
const running = new Map();

// The answer; null if a newer question of the same kind was asked meanwhile. An error comes as {error: {kind, message}}.
export async function ask(name, values) {
  if (alone) return (await alone).askWorker(name, values);
  running.get(name)?.abort();
  const control = new AbortController();
  running.set(name, control);
  try {
    const response = await fetch(`ask/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(values),
      signal: control.signal,
    });
    if (!response.ok) return { error: { kind: "server", message: (await response.text()).trim(), from: 0, to: 0 } };
    return await response.json();
  } catch (error) {
    if (control.signal.aborted) return null;
    return { error: { kind: "connection", message: "the server does not answer; is ffgrammar play still running?", from: 0, to: 0 } };
  }
}

// Runs `work` once things have been quiet for a while.
export function afterQuiet(millis, work) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, millis);
  };
}

// Runs `work` for the newest call only, one at a time: while one runs, later calls wait, and only the last of them counts.
export function oneAtATime(work) {
  let busy = false;
  let again = false;
  return async function run() {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      await work();
    }
    busy = false;
  };
}
