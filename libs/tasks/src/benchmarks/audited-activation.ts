import { type Actor, type AuditedFacts, AuditLog, differences } from '@assay/identity/audit';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { BenchmarkVersion } from './benchmark-version.js';
import { DatasetVersion } from '../datasets/dataset.js';
import type { Task } from '../task.js';

/** The parts of a benchmark version that determine its board. */
type Grounds = Pick<BenchmarkVersion, 'datasets' | 'definition' | 'metricVersions'>;

/**
 * Records in the audit log that a benchmark version is in force: the dataset versions that it
 * activates and retires, and every other part that differs from `before`.
 * @param before the previous benchmark version; null for the first of the task
 */
export async function recordActivation(
  em: EntityManager,
  actor: Actor,
  task: Task,
  released: BenchmarkVersion,
  before: Grounds | null,
): Promise<void> {
  const [now, then] = [released.datasets, before?.datasets ?? []];
  const versions = await em.find(DatasetVersion, { id: { $in: [...now, ...then] } }, { populate: ['dataset'] });
  const only = (those: readonly string[], others: readonly string[]): readonly string[] =>
    versions
      .filter(({ id }) => those.includes(id) && !others.includes(id))
      .map(({ dataset, number }) => `${dataset.name} v${number}`);
  const { from, to } = before ? differences(factsOf(before), factsOf(released)) : { from: {}, to: {} };
  AuditLog.record(em, actor, {
    action: 'benchmark.activated',
    subject: { kind: 'benchmark', id: released.id, name: `${task.slug} v${released.number}` },
    from: { ...from, retired: only(then, now) },
    to: { ...to, activated: only(now, then) },
  });
}

const factsOf = ({ definition, metricVersions }: Grounds): AuditedFacts => ({ ...definition, metricVersions });
