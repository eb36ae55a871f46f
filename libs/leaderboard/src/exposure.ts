import type { EXPOSURES } from '@assay/contracts';
import type { Artifact } from '@assay/submissions';
import type { Dataset } from '@assay/tasks';

export type Exposure = (typeof EXPOSURES)[number];

/**
 * Whether a model may have seen a dataset before it was submitted: `clean` where its artifact was accepted before any of the content was
 * public (so always where none ever was), else `exposed`.
 */
export function exposureOf(artifact: Pick<Artifact, 'createdAt'>, dataset: Pick<Dataset, 'publicSince'>): Exposure {
  const { publicSince } = dataset;
  // a row that was written without the column has undefined
  return publicSince === null || publicSince === undefined || artifact.createdAt < publicSince ? 'clean' : 'exposed';
}
