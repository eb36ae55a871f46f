import type { DefinitionData } from './definition-text.js';

/**
 * Returns the JSON merge patch (RFC 7396) that turns `before` into `after`. A removed key is null,
 * which resets it to its default.
 */
export function mergePatch(before: DefinitionData, after: DefinitionData): DefinitionData {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!(key in after)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const previous = before[key];
    if (isSame(previous, value)) continue;
    patch[key] = isRecord(previous) && isRecord(value) ? mergePatch(previous, value) : value;
  }
  return patch;
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

const isRecord = (value: unknown): value is DefinitionData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
