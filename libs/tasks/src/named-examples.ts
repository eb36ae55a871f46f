import type { Perturbation } from '@assay/contracts';
import type { Dataset } from './dataset.js';

/** The examples of a dataset as users name them: perturbed ones by what they were made of. */
export interface NamedExamples {
  readonly dataset: string;
  readonly perturbation?: Perturbation;
}

type Named = Pick<Dataset, 'name' | 'perturbation'>;

const MARK = '~';

/** The name of a perturbed dataset, which nobody can type as one of theirs. */
export const perturbedName = (original: string, kind: Perturbation): string => `${original}${MARK}${kind}`;

export function namedExamples({ name, perturbation }: Named): NamedExamples {
  return perturbation ? { dataset: name.slice(0, name.lastIndexOf(MARK)), perturbation } : { dataset: name };
}

/** In a sentence. */
export function examplesTitle(dataset: Named): string {
  const { dataset: name, perturbation } = namedExamples(dataset);
  return perturbation ? `the ${perturbation} pairs of "${name}"` : `"${name}"`;
}
