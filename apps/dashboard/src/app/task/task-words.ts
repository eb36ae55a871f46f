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

/** What counts on the board, the heaviest first, as shares of all; those of weight 0 are left out. */
export function weightShares(weights: Task['weights']): readonly { readonly metric: string; readonly share: number }[] {
  const entries = Object.entries(weights ?? {}).filter(([, weight]) => weight > 0);
  const sum = entries.reduce((total, [, weight]) => total + weight, 0);
  return entries.map(([metric, weight]) => ({ metric, share: weight / sum })).sort((a, b) => b.share - a.share);
}
