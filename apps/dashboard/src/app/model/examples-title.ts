import { metricName } from '../ui/terms.js';

/** What the examples of an evaluation are called: the dataset, or its perturbed version. */
export const examplesTitle = ({
  dataset,
  perturbation,
}: {
  readonly dataset: string;
  readonly perturbation?: string | undefined;
}): string => (perturbation === undefined ? dataset : `${dataset} · ${metricName(perturbation)}`);
