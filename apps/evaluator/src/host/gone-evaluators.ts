import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Names of the evaluators that ended without a word and hold nothing any more: two leases long they were not seen, and no lease of theirs
 * lives. One that ends in order, or is another service's, is none of them.
 */
export async function goneEvaluators(em: EntityManager, leaseSeconds: number): Promise<ReadonlySet<string>> {
  const rows = await em.fork().execute<{ name: string }[]>(
    `select name from evaluator_presence
      where seen_at < now() - 2 * make_interval(secs => ?)
        and not exists (select 1 from run where state = 'leased' and lease_owner = name and lease_until > now())
        and not exists (select 1 from placement
          where state in ('starting', 'ready') and evaluator = name and lease_until > now())`,
    [leaseSeconds],
  );
  return new Set(rows.map(({ name }) => name));
}
