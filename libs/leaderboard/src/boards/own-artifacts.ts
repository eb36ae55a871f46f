import { type Descent, Model, ModelRepository } from '@assay/submissions';
import type { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';

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
  const named = versions.flatMap(({ dataset }) => dataset.against ?? []);
  if (named.length === 0) return new Map(versions.map(({ dataset }) => [dataset.id, new Set()]));

  const models = await em.find(Model, { id: { $in: named } }, { populate: ['specification.artifact'] });
  const digests = new Map(models.map((model) => [model.id, model.specification?.artifact.digest]));
  const lineage = await new ModelRepository(em).lineageOf(versions[0]!.dataset.task.id);
  return new Map(
    versions.map(({ dataset }) => {
      const against = dataset.against ?? [];
      return [dataset.id, withDescendants([...against, ...against.flatMap((id) => digests.get(id) ?? [])], lineage)];
    }),
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
