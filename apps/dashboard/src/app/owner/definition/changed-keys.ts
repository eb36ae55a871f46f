import type { DefinitionData } from '../yaml/definition-text.js';

/** What a merge patch changes, by the path of each value: `quota.perDay`, with what it becomes; undefined: its default. */
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
