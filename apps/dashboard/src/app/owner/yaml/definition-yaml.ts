import { Document, isCollection, isMap, isPair, isScalar, type Node, visit } from 'yaml';
import { tightLists } from './definition-text.js';
import { type DefinitionData, isRecord, isSame } from './merge-patch.js';
import { type JsonSchema, schemasAt } from './schema-help.js';

/**
 * The longest collection that is written on one line, in characters. Longer ones take several
 * lines.
 */
const LONGEST_LINE = 72;

/**
 * Writes a definition as its owner would: keys in the order of the schema, no defaults, short lists
 * on one line.
 */
export function definitionYaml(schema: JsonSchema, definition: DefinitionData): string {
  const document = new Document(inOrder(schema, withoutDefaults(schema, definition)));
  visit(document, {
    Collection: (key, node) => {
      // a collection that fits on a line is easier to read there; the outermost one always takes
      // several
      if (key !== null && lengthOf(node) <= LONGEST_LINE) node.flow = true;
    },
  });
  return tightLists(document.toString({ lineWidth: 0, flowCollectionPadding: true }));
}

/** Removes the keys that have their default value. The result is close to what the owner wrote. */
export function withoutDefaults(
  schema: JsonSchema,
  definition: DefinitionData,
  path: readonly string[] = [],
): DefinitionData {
  const kept = Object.entries(definition).flatMap(([key, value]) => {
    const own = schemasAt(schema, path).flatMap((each) => each.properties?.[key] ?? []);
    const standard = own.find((property) => property.default !== undefined)?.default;
    const short = own.length > 0 && isRecord(value) ? withoutDefaults(schema, value, [...path, key]) : value;
    return own.length > 0 && (isSame(value, standard) || isSame(short, standard)) ? [] : [[key, short] as const];
  });
  return Object.fromEntries(kept);
}

function inOrder(schema: JsonSchema, definition: DefinitionData, path: readonly string[] = []): DefinitionData {
  const known = schemasAt(schema, path).flatMap(({ properties }) => Object.keys(properties ?? {}));
  const keys = [...known.filter((key) => key in definition), ...Object.keys(definition)];
  return Object.fromEntries(
    [...new Set(keys)].map((key) => {
      const value = definition[key];
      return [key, isRecord(value) ? inOrder(schema, value, [...path, key]) : value];
    }),
  );
}

/** Estimates the length of a node on one line, in characters. Infinite for multi-line text. */
function lengthOf(node: Node): number {
  if (isScalar(node)) {
    const text = String(node.value);
    return text.includes('\n') ? Infinity : text.length;
  }
  if (!isCollection(node)) return Infinity;
  const parts = node.items.map((item) => {
    if (!isPair(item)) return lengthOf(item as Node);
    return lengthOf(item.key as Node) + 2 + lengthOf(item.value as Node);
  });
  return parts.reduce((sum, length) => sum + length + 2, isMap(node) ? 4 : 2);
}
