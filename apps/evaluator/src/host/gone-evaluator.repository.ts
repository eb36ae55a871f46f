import { Repository } from '@assay/persistence/queries';

/** Evaluators that crashed, found by their heartbeats and by their leases of runs and deployments. */
export class GoneEvaluatorRepository extends Repository {
  /**
   * Returns the names of evaluators that crashed and hold nothing any more: they were not seen for
   * two lease periods and have no valid lease. Evaluators that shut down gracefully, and those of
   * other services, are not included.
   */
  async names(leaseSeconds: number): Promise<ReadonlySet<string>> {
    const rows = await this.em.execute<{ name: string }[]>(
      `select name from evaluator_presence
        where role = 'evaluator' and seen_at < now() - 2 * make_interval(secs => ?)
          and not exists (select 1 from run where state = 'leased' and lease_owner = name and lease_until > now())
          and not exists (select 1 from placement
            where state in ('starting', 'ready') and evaluator = name and lease_until > now())`,
      [leaseSeconds],
    );
    return new Set(rows.map(({ name }) => name));
  }
}
