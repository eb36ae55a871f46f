import type { EXPOSURES } from '@assay/contracts/boards';
import type { Artifact } from '@assay/submissions/artifacts';
import type { Dataset } from '@assay/tasks/datasets';

export type Contamination = (typeof EXPOSURES)[number];

/**
 * Returns whether a model may have seen a dataset before it was submitted (contamination): `clean`
 * if its artifact was accepted before any of the content was public, and always if none ever was;
 * otherwise `exposed`.
 */
export function contaminationOf(
  artifact: Pick<Artifact, 'createdAt'>,
  dataset: Pick<Dataset, 'publicSince'>,
): Contamination {
  const { publicSince } = dataset;
  // undefined if the row was written without the column
  return publicSince === null || publicSince === undefined || artifact.createdAt < publicSince ? 'clean' : 'exposed';
}
