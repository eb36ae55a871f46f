import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { Extension, Text } from '@codemirror/state';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import { helpAt, type JsonSchema, keysAt, placeAt, valuesAt, type YamlPlace } from './schema-help.js';

/**
 * Completes keys and values, and explains keys on hover, by the schema that `schema()` returns at
 * the time.
 */
export function editorHelp(schema: () => JsonSchema | undefined): Extension {
  return [
    autocompletion({ override: [(context) => complete(schema(), context)], icons: false }),
    hoverTooltip((view, position) => explain(schema(), view, position)),
  ];
}

function complete(schema: JsonSchema | undefined, context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w:-]*/);
  if (!schema || !word || (word.from === word.to && !context.explicit)) return null;
  const place = placeOf(context.state.doc, word.from);
  if (place.isValue && place.key !== undefined) {
    const options = valuesAt(schema, [...place.path, place.key]).map((label) => ({ label, type: 'constant' }));
    return options.length > 0 ? { from: word.from, options } : null;
  }
  const options = keysAt(schema, place.path).map(({ label, detail }) => ({
    label,
    apply: `${label}: `,
    ...(detail !== undefined && { info: detail }),
  }));
  return options.length > 0 ? { from: word.from, options, validFor: /^[\w-]*$/ } : null;
}

function explain(schema: JsonSchema | undefined, view: EditorView, position: number): Tooltip | null {
  const { path, key, isValue } = placeOf(view.state.doc, position);
  const text = schema && key !== undefined && !isValue ? helpAt(schema, [...path, key]) : undefined;
  if (text === undefined) return null;
  return {
    pos: position,
    create: () => {
      const dom = document.createElement('div');
      dom.textContent = text;
      return { dom };
    },
  };
}

function placeOf(text: Text, position: number): YamlPlace {
  const line = text.lineAt(position);
  return placeAt([...text.iterLines(1, line.number + 1)], line.number - 1, position - line.from);
}
