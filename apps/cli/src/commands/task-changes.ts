import { usageFailure } from '../command-failure.js';
import { parse, YAMLParseError } from 'yaml';

type Change = Record<string, unknown>;

/**
 * Parses `loop.size=2` as `{ loop: { size: 2 } }`: a path of keys and a value in YAML. The value
 * null removes a key.
 */
export function changeOf(text: string): Change {
  const [, path = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const keys = path.split('.').map((key) => key.trim());
  if (keys.includes('')) throw usageFailure(`"${text}" is not of the form key=value, such as loop.size=2.`);
  const root: Change = {};
  let inner = root;
  for (const key of keys.slice(0, -1)) {
    const next: Change = {};
    put(inner, key, next);
    inner = next;
  }
  put(inner, keys.at(-1)!, valueOf(text, value));
  return root;
}

function valueOf(text: string, value: string): unknown {
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof YAMLParseError)
      throw usageFailure(`The value of "${text}" is not valid YAML: ${error.message}`);
    throw error;
  }
}

/**
 * Merges successive changes into one. Two objects under the same key are merged recursively;
 * otherwise the later value wins.
 */
export function joined(changes: readonly Change[]): Change {
  const result: Change = {};
  for (const change of changes) {
    for (const [key, value] of Object.entries(change)) {
      const before = result[key];
      put(result, key, isObject(before) && isObject(value) ? joined([before, value]) : value);
    }
  }
  return result;
}

/** Defines a property instead of assigning it, so that the key `__proto__` works as well. */
const put = (object: Change, key: string, value: unknown): void =>
  void Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });

export const isObject = (value: unknown): value is Change =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
