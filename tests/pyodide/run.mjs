// Runs a Python file in Pyodide: node run.mjs PYODIDE SOURCES FILE. The sources are in /sources there.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const [pyodide, sources, file] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`).href);
process.on("uncaughtException", (error) => {
    console.error(error.message);
    process.exit(1);
});
const python = await loadPyodide({ indexURL: `${pyodide}/` });
python.FS.mkdir("/sources");
python.FS.mount(python.FS.filesystems.NODEFS, { root: sources }, "/sources");
python.runPython(readFileSync(file, "utf-8"));
