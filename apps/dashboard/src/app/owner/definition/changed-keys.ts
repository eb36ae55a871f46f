import type { DefinitionData } from '../yaml/definition-text.js';

/**
 * Lists the values that a merge patch changes, each with its path, for example `quota.perDay`. A
 * value of undefined stands for the default.
 */
export function changedKeys(
  patch: DefinitionData,
  path = '',
): readonly { readonly path: string; readonly value: unknown }[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const own = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const within = changedKeys(value as DefinitionData, own);
      return within.length > 0 ? within : [{ path: own, value }];
    }
    return [{ path: own, value: value === null ? undefined : value }];
  });
}
