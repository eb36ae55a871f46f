import { metricName } from '../ui/terms/terms.js';

/** Returns the display name of an evaluation's examples: the dataset, or its perturbed version. */
export const examplesTitle = ({
  dataset,
  perturbation,
}: {
  readonly dataset: string;
  readonly perturbation?: string | undefined;
}): string => (perturbation === undefined ? dataset : `${dataset} · ${metricName(perturbation)}`);
