// The engine in a worker: Pyodide with the package. `make play-site` puts both beside this file.

async function load() {
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const [python, packed] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch(new URL("ffgrammar.zip", import.meta.url)).then((response) => response.arrayBuffer()),
  ]);
  python.FS.writeFile("/ffgrammar.zip", new Uint8Array(packed));
  python.runPython(`
import sys, zipfile
with zipfile.ZipFile("/ffgrammar.zip") as packed:
    packed.extractall("/packages")
sys.path.insert(0, "/packages")
`);
  return python.pyimport("ffgrammar.play.alone").answer;
}

const loading = load();
// (who asks is told of the error)
loading.catch(() => {});

self.addEventListener("message", async ({ data: [name, body] }) => {
  try {
    self.postMessage((await loading)(name, body));
  } catch (error) {
    const message = `the engine failed: ${String(error.message).trim().split("\n").pop()}`;
    self.postMessage(JSON.stringify({ error: { kind: "connection", message, from: 0, to: 0 } }));
  }
});
