import { AsyncLocalStorage } from 'node:async_hooks';

type Fields = Readonly<Record<string, string | number>>;

const store = new AsyncLocalStorage<Fields>();

/** Runs `work` so that every line it logs carries `fields` (ids: request, run, model), with those from outside. */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return store.run({ ...store.getStore(), ...fields }, work);
}

/** The fields that a line logged here carries. */
export function logFields(): Fields {
  return store.getStore() ?? {};
}
