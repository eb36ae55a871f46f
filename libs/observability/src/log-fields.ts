import { AsyncLocalStorage } from 'node:async_hooks';

type Fields = Readonly<Record<string, string | number>>;

const store = new AsyncLocalStorage<Fields>();

/**
 * Runs `work` so that every line it logs carries `fields` (IDs such as request, run or model), in
 * addition to the fields of the enclosing call.
 */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return store.run({ ...store.getStore(), ...fields }, work);
}

/** Returns the fields that a line logged in the current context carries. */
export function logFields(): Fields {
  return store.getStore() ?? {};
}
