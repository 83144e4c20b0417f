// Highlighting for the notations of rules and for regular expressions: one small scanner each.
import { StreamLanguage } from "@codemirror/language";

// Each row: what to match where the stream stands, and the class of what matched.
function scanner(name, rows, comment) {
  return StreamLanguage.define({
    name,
    token(stream) {
      if (stream.eatSpace()) return null;
      for (const [pattern, kind] of rows) if (stream.match(pattern)) return kind;
      stream.next();
      return null;
    },
    languageData: comment ? { commentTokens: { line: comment } } : {},
  });
}

export const lark = scanner(
  "lark",
  [
    [/^\/\/.*/, "comment"],
    [/^#.*/, "comment"],
    [/^%[a-z_]+/, "keyword"],
    [/^"(?:[^"\\\n]|\\.)*"i?/, "string"],
    [/^\/(?!\/)(?:[^/\\\n]|\\.)+\/[a-z]*/, "regexp"],
    [/^<[^>\s]*>/, "atom"],
    [/^[?!]?_?[a-z][a-z0-9_]*/, "variableName"],
    [/^_?[A-Z][A-Z0-9_]*/, "typeName"],
    [/^(?:->|~|\.\.|[|?*+:&])/, "operator"],
    [/^\d+/, "number"],
  ],
  "//",
);

export const gbnf = scanner(
  "gbnf",
  [
    [/^#.*/, "comment"],
    [/^"(?:[^"\\\n]|\\.)*"/, "string"],
    [/^\[(?:[^\]\\\n]|\\.)*\]/, "regexp"],
    [/^!?<[^>\s]*>/, "atom"],
    [/^::=/, "definitionOperator"],
    [/^[A-Za-z][\w-]*/, "variableName"],
    [/^(?:[|?*+]|\{\d*,?\d*\})/, "operator"],
  ],
  "#",
);

export const regex = scanner("regex", [
  [/^\\(?:[pP]\{[^}]*\}|x\{[^}]*\}|x..|u....|.)/, "string"],
  [/^\[\^?\]?(?:[^\]\\]|\\.)*\]/, "regexp"],
  [/^\(\?[:=!<a-z-]*/, "keyword"],
  [/^(?:[|?*+()^$.]|\{\d*,?\d*\})/, "operator"],
]);
