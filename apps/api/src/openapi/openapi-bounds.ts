/**
 * Makes exclusive bounds numbers, as in OpenAPI 3.1. The generated document has those of 3.0:
 * booleans that modify another bound.
 */
export function withExclusiveBounds<T>(document: T): T {
  if (typeof document !== 'object' || document === null) return document;
  const schema = document as Record<string, unknown>;
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[exclusive] !== true) continue;
    schema[exclusive] = schema[bound];
    Reflect.deleteProperty(schema, bound);
  }
  Object.values(schema).forEach(withExclusiveBounds);
  return document;
}
