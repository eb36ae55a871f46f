import type { TaskDefinition } from '@assay/contracts/tasks';

type Inputs = Readonly<Record<string, unknown>>;

/** One white pixel. */
const IMAGE = {
  b64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4//8/AAX+Av4zEpUUAAAAAElFTkSuQmCC',
  mediaType: 'image/png',
};
const PLACEHOLDERS = { text: 'This is a short text.', number: 0, image: IMAGE } as const;

/**
 * Returns the first instance for a model, as JSON: the given inputs, and a placeholder of the right
 * type for each of the others.
 */
export function warmUpInstance({ inputs }: Pick<TaskDefinition, 'inputs'>, given: Inputs): string {
  return JSON.stringify(Object.fromEntries(inputs.map(({ name, type }) => [name, given[name] ?? PLACEHOLDERS[type]])));
}
