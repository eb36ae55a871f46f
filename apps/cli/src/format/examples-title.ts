/** A dataset, or the perturbed versions of its examples. */
export const examplesTitle = ({
  dataset,
  perturbation,
}: {
  readonly dataset: string;
  readonly perturbation?: string;
}): string => (perturbation === undefined ? dataset : `${dataset} ${perturbation}`);
