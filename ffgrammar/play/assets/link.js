// The state of the page as the fragment of its address. A fragment is never sent to a server.

const MAX_STATE = 1_000_000;

const base64 = (bytes) => btoa(bytes.reduce((text, one) => text + String.fromCharCode(one), "")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const unbase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

async function piped(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_STATE) throw new Error("the link has too much in it");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function toFragment(state) {
  return "#" + base64(await piped(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw")));
}

// The state of a fragment: those of its fields that have the type of those in `usual`. Null if it has none.
export async function fromFragment(fragment, usual) {
  if (fragment.length < 2) return null;
  try {
    const found = JSON.parse(new TextDecoder().decode(await piped(unbase64(fragment.slice(1)), new DecompressionStream("deflate-raw"))));
    const state = { ...usual };
    for (const name of Object.keys(usual)) {
      if (name === "tokens" ? isIds(found[name]) : typeof found[name] === typeof usual[name]) state[name] = found[name];
    }
    return state;
  } catch {
    return null;
  }
}

const isIds = (value) => value === null || (Array.isArray(value) && value.every((one) => Number.isInteger(one) && one >= 0));
