import { type DatasetMark, datasetMarks } from '@assay/scoring/marks';
import { artifactsAgainst } from '@assay/submissions/lineage';
import type { Artifact } from '@assay/submissions/artifacts';
import { roundsScores, type Task } from '@assay/tasks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { contaminationOf } from './contamination.js';

/**
 * Returns the marks of a model's scores by dataset name, as everybody sees them. Perturbed versions
 * are left out.
 */
export async function scoreMarks(
  em: EntityManager,
  task: Task,
  artifact: Artifact,
  versions: readonly DatasetVersion[],
): Promise<ReadonlyMap<string, readonly DatasetMark[]>> {
  const originals = versions.filter(({ dataset }) => !dataset.perturbation);
  const against = await artifactsAgainst(em, originals);
  return new Map(
    originals.map(({ dataset }) => {
      const own = against.get(dataset.id)!.has(artifact.digest) ? [dataset.name] : [];
      const exposure = { [dataset.name]: contaminationOf(artifact, dataset) };
      return [dataset.name, datasetMarks({ own, exposure }, dataset.name, { rounded: roundsScores(task, dataset) })];
    }),
  );
}
