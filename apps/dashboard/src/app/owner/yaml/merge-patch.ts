/** A task definition as plain data, parsed from YAML and not validated. */
export type DefinitionData = Readonly<Record<string, unknown>>;

/** Returns whether a value is a mapping. */
export const isRecord = (value: unknown): value is DefinitionData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the JSON merge patch (RFC 7396) that turns `before` into `after`. A removed key is null,
 * which resets it to its default.
 */
export function mergePatch(before: DefinitionData, after: DefinitionData): DefinitionData {
  const removed = Object.keys(before).filter((key) => !(key in after));
  const changed = Object.entries(after).filter(([key, value]) => !isSame(before[key], value));
  const patched = changed.map(([key, value]): readonly [string, unknown] => {
    const previous = before[key];
    return [key, isRecord(previous) && isRecord(value) ? mergePatch(previous, value) : value];
  });
  return Object.fromEntries<unknown>([...removed.map((key) => [key, null] as const), ...patched]);
}

/** Returns whether two values are deeply equal, regardless of key order. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  if (isRecord(one) && isRecord(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].every((key) => isSame(one[key], other[key]));
  }
  return one === other;
}
