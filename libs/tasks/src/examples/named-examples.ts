import type { Perturbation } from '@assay/contracts/metrics';
import type { Dataset } from '../datasets/dataset.js';

/** The examples of a dataset as users name them. Perturbed ones have the name of their original. */
export interface NamedExamples {
  readonly dataset: string;
  readonly perturbation?: Perturbation;
}

type Named = Pick<Dataset, 'name' | 'perturbation'>;

const MARK = '~';

/** Returns the name of a perturbed dataset. Users cannot choose a name that contains `~`. */
export const perturbedName = (original: string, kind: Perturbation): string => `${original}${MARK}${kind}`;

export function namedExamples({ name, perturbation }: Named): NamedExamples {
  return perturbation ? { dataset: name.slice(0, name.lastIndexOf(MARK)), perturbation } : { dataset: name };
}

/** Returns the title of a dataset's examples, for use within a sentence. */
export function examplesTitle(dataset: Named): string {
  const { dataset: name, perturbation } = namedExamples(dataset);
  return perturbation ? `the ${perturbation} pairs of "${name}"` : `"${name}"`;
}
