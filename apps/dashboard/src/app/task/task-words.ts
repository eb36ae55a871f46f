import type { DatasetSummary, Task, TaskInput, TaskOutput } from '@assay/api-client/angular';

/** Lists the inputs of a task with their types: `context (text), image (image)`. */
export const inputWords = (inputs: readonly TaskInput[]): string =>
  inputs.map(({ name, type }) => `${name} (${TYPE_NAMES[type]})`).join(', ');

const TYPE_NAMES: Readonly<Record<TaskInput['type'], string>> = {
  text: $localize`text`,
  image: $localize`image`,
  number: $localize`number`,
};

/** Describes the output of a task. */
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

/** Returns the weights of a task: the written ones, else the service's default. */
export function taskWeights({
  weights,
  performance,
  perturbations,
}: Pick<Task, 'weights' | 'performance' | 'perturbations'>): Readonly<Record<string, number>> {
  const kinds = Object.keys(perturbations ?? {}).filter((kind) => kind !== 'sample');
  return weights ?? standardWeights(performance, kinds);
}

/**
 * Returns the weights that the service gives by default.
 * @param performance The performance metric. Empty while a definition names none.
 * @param kinds The kinds of perturbation of the task.
 */
export const standardWeights = (performance: string, kinds: readonly string[]): Readonly<Record<string, number>> => ({
  ...(performance && { [performance]: 4 }),
  ...{ cpu_time: 1, memory: 1 },
  ...Object.fromEntries(kinds.map((kind) => [`${kind}_mean`, 1])),
});

/** Returns each positive weight as a share of their sum, the largest first. */
export function weightShares(
  weights: Readonly<Record<string, number>>,
): readonly { readonly metric: string; readonly share: number }[] {
  const entries = Object.entries(weights).filter(([, weight]) => weight > 0);
  const sum = entries.reduce((total, [, weight]) => total + weight, 0);
  return entries.map(([metric, weight]) => ({ metric, share: weight / sum })).sort((a, b) => b.share - a.share);
}

export const USE_NAMES: Readonly<Record<DatasetSummary['use'], string>> = {
  scoring: $localize`ranks`,
  reporting: $localize`is shown`,
};

export const VISIBILITY_NAMES: Readonly<Record<DatasetSummary['visibility'], string>> = {
  hidden: $localize`hidden`,
  inputs: $localize`inputs alone`,
  public: $localize`public`,
};

export const STATUS_NAMES: Readonly<Record<DatasetSummary['status'], string>> = {
  active: $localize`active`,
  proposed: $localize`proposed`,
  retired: $localize`retired`,
};
