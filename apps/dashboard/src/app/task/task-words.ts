import type { Task, TaskInput, TaskOutput } from '../../client/types.gen.js';

/** What a model is given: `context (text), image (image)`. */
export const inputWords = (inputs: readonly TaskInput[]): string =>
  inputs.map(({ name, type }) => `${name} (${typeName(type)})`).join(', ');

/** What a model answers. */
export function outputWords(output: TaskOutput): string {
  switch (output.type) {
    case 'label':
      return $localize`one of ${output.labels.join(', ')}:labels:`;
    case 'labels':
      return $localize`any of ${output.labels.join(', ')}:labels:`;
    case 'span':
      return $localize`a part of ${output.of}:input:`;
    case 'text':
      return $localize`a text`;
    case 'number':
      return $localize`a number`;
  }
}

function typeName(type: TaskInput['type']): string {
  switch (type) {
    case 'text':
      return $localize`text`;
    case 'image':
      return $localize`image`;
    case 'number':
      return $localize`number`;
  }
}

/** The weights of a task: as written, or the default of the service. */
export function taskWeights({
  weights,
  performance,
  perturbations,
}: Pick<Task, 'weights' | 'performance' | 'perturbations'>): Readonly<Record<string, number>> {
  if (weights) return weights;
  const kinds = Object.keys(perturbations ?? {}).filter((kind) => kind !== 'sample');
  return { [performance]: 4, throughput: 1, memory: 1, ...Object.fromEntries(kinds.map((kind) => [kind, 1])) };
}

/** What counts on the board, the heaviest first, as shares of all; those of weight 0 are left out. */
export function weightShares(
  weights: Readonly<Record<string, number>>,
): readonly { readonly metric: string; readonly share: number }[] {
  const entries = Object.entries(weights).filter(([, weight]) => weight > 0);
  const sum = entries.reduce((total, [, weight]) => total + weight, 0);
  return entries.map(([metric, weight]) => ({ metric, share: weight / sum })).sort((a, b) => b.share - a.share);
}
