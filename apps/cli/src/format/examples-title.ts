/** Returns the name of a dataset, followed by the perturbation if its examples are perturbed. */
export const examplesTitle = ({
  dataset,
  perturbation,
}: {
  readonly dataset: string;
  readonly perturbation?: string;
}): string => (perturbation === undefined ? dataset : `${dataset} ${perturbation}`);
