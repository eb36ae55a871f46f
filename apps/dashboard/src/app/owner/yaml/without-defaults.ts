import type { DefinitionData } from './definition-text.js';
import { isSame } from './merge-patch.js';
import { type JsonSchema, schemasAt } from './schema-help.js';

/** Removes the keys that have their default value. The result is close to what the owner wrote. */
export function withoutDefaults(
  schema: JsonSchema,
  definition: DefinitionData,
  path: readonly string[] = [],
): DefinitionData {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(definition)) {
    const own = schemasAt(schema, path).flatMap((each) => each.properties?.[key] ?? []);
    const standard = own.find((property) => property.default !== undefined)?.default;
    const short = own.length > 0 && isRecord(value) ? withoutDefaults(schema, value, [...path, key]) : value;
    if (own.length > 0 && (isSame(value, standard) || isSame(short, standard))) continue;
    kept[key] = short;
  }
  return kept;
}

const isRecord = (value: unknown): value is DefinitionData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
