// Bundles editor.js into ../assets/editor.js: `make page`. The first line of the bundle says of which sources it is made.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";

const [packages, folder] = process.argv.slice(2);
const { build } = createRequire(join(packages, "/"))("esbuild");
const SOURCES = ["package-lock.json", "build.mjs", "editor.js", "modes.js"];

const digest = createHash("sha256");
for (const name of SOURCES) digest.update(readFileSync(join(folder, name)));

const made = await build({
  entryPoints: [join(folder, "editor.js")],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  nodePaths: [packages],
  metafile: true,
  write: false,
});

// The packages that are in the bundle, and their licences.
const inside = new Set(Object.keys(made.metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
inside.delete(undefined);
const notices = [...inside].sort().map((name) => {
  const { version } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
  const licence = readFileSync(join(packages, name, "LICENSE"), "utf8").trim();
  return `${name} ${version}\n\n${licence}\n`;
});
const target = join(folder, "..", "assets");
writeFileSync(join(target, "editor.js"), `// made of ${digest.digest("hex")}\n${made.outputFiles[0].text}`);
writeFileSync(join(target, "editor.LICENSE.txt"), `editor.js has these packages:\n\n${notices.join("\n----\n\n")}`);
