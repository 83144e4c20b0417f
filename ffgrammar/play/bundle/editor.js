// The editor of the page: CodeMirror with what the page uses of it.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { gbnf, lark, regex } from "./modes.js";

const LANGUAGES = { "json-schema": json, "structural-tag": json, choice: json, lark: () => lark, gbnf: () => gbnf, ebnf: () => gbnf, regex: () => regex };

// Tab is not bound: it moves the focus, so nobody is caught in the editor.
export function makeEditor({ parent, label, nonce, onChange }) {
  const language = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        lintGutter(),
        syntaxHighlighting(classHighlighter),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && onChange(view.state.doc.toString())),
        language.of([]),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setKind(kind) {
      view.dispatch({ effects: language.reconfigure((LANGUAGES[kind] ?? (() => []))()) });
    },
    // Marks: objects with from, to, severity and message; positions are code points of the text.
    setMarks(marks) {
      const text = view.state.doc.toString();
      const at = (points) => Array.from(text).slice(0, points).join("").length;
      const known = marks.map((one) => ({ ...one, from: at(one.from), to: Math.max(at(one.to), at(one.from)) }));
      view.dispatch(setDiagnostics(view.state, known));
    },
    focus: () => view.focus(),
  };
}
