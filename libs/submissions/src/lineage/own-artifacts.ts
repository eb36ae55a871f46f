import type { Dataset, DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Descent, ModelRepository } from '../model.repository.js';
import { Model } from '../model.js';

/**
 * Returns the digests of the artifacts for which a dataset is an own round, by dataset ID: those of the
 * models that its examples were collected against, and those whose declared lineage leads to one of
 * these models.
 *
 * @param versions of one task, with their datasets
 */
export async function artifactsAgainst(
  em: EntityManager,
  versions: readonly DatasetVersion[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const datasets = versions.map(({ dataset }) => dataset);
  const named = datasets.flatMap(({ against }) => against ?? []);
  const origins =
    named.length === 0 ? new Map<string, ReadonlySet<string>>() : await originsOf(em, datasets[0]!.task.id, named);
  return new Map(
    datasets.map((dataset) => [
      dataset.id,
      new Set((dataset.against ?? []).flatMap((id) => [...(origins.get(id) ?? [])])),
    ]),
  );
}

/**
 * Returns the IDs of those models that a dataset was collected against which have this artifact, or to
 * which its declared lineage leads.
 */
export async function targetsOfArtifact(em: EntityManager, dataset: Dataset, artifact: string): Promise<string[]> {
  const against = dataset.against ?? [];
  if (against.length === 0) return [];
  const origins = await originsOf(em, dataset.task.id, against);
  return against.filter((id) => origins.get(id)?.has(artifact));
}

/** Returns the digests of the artifacts of models of a task and of all their descendants. */
export async function relatedArtifacts(
  em: EntityManager,
  task: string,
  models: readonly string[],
): Promise<ReadonlySet<string>> {
  const origins = await originsOf(em, task, models);
  return new Set([...origins.values()].flatMap((each) => [...each]));
}

/** Returns the IDs and artifacts of each target model and its descendants, by the ID of the target model. */
async function originsOf(
  em: EntityManager,
  task: string,
  targets: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const models = await em.find(Model, { id: { $in: targets } }, { populate: ['specification.artifact'] });
  const lineage = await new ModelRepository(em).lineageOf(task);
  return new Map(
    models.map(({ id, specification }) => [
      id,
      withDescendants([id, ...(specification ? [specification.artifact.digest] : [])], lineage),
    ]),
  );
}

/**
 * Returns the given IDs of models and digests of artifacts with those of all their descendants. Models
 * with the same artifact have the same descendants. Cycles are harmless.
 */
export function withDescendants(origins: readonly string[], lineage: readonly Descent[]): ReadonlySet<string> {
  const next = new Map<string, Set<string>>();
  const join = (from: string, to: string): void => {
    next.set(from, (next.get(from) ?? new Set()).add(to));
  };
  for (const { child, parent } of lineage) {
    join(parent.id, child.id);
    for (const { id, artifact } of [child, parent]) {
      if (artifact === null) continue;
      join(id, artifact);
      join(artifact, id);
    }
  }
  const found = new Set(origins);
  // a set also visits what is added meanwhile
  for (const each of found) next.get(each)?.forEach((other) => found.add(other));
  return found;
}
