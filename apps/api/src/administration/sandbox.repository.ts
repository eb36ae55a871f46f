import type { RunningSandboxes } from '@assay/contracts/operations';
import { LEASE_PREFIX } from '@assay/evaluation/evaluators';
import { Repository } from '@assay/persistence/queries';

export type Sandbox = RunningSandboxes['items'][number];

/** SQL for the model that a sandbox runs. */
const MODEL = `(select jsonb_build_object('id', m.id, 'name', m.name, 'owner', u.username)
  from model m join user_account u on u.id = m.owner_id`;

/** SQL for the name of the holder of a lease. */
const nameOf = (column: string): string => `regexp_replace(${column}, '^${LEASE_PREFIX}', '')`;

/** The sandboxes with models: those of runs and those of deployments. */
export class SandboxRepository extends Repository {
  /** Returns the sandboxes of leased runs and deployments, oldest first. Memory is in bytes. */
  async running(): Promise<Sandbox[]> {
    const rows = await this.em.execute<(Sandbox & Record<'since' | 'leaseUntil', Date | string>)[]>(
      `select * from (
         select 'run' as kind, r.id, t.slug as task,
                case when r.stage = 'evaluation' then r.purpose else r.stage end as does,
                ${MODEL} where m.specification_id = r.specification_id and m.task_id = r.task_id order by m.id limit 1) as model,
                r.started_at as since, r.lease_until as "leaseUntil", ${nameOf('r.lease_owner')} as evaluator,
                (s.content #>> '{limits,memory}')::float8 as memory, (s.content #>> '{limits,cpus}')::float8 as cpus
           from run r join task t on t.id = r.task_id join run_specification s on s.id = r.specification_id
          where r.state = 'leased' and r.lease_until > now()
         union all
         select 'placement', p.id, t.slug, p.state, ${MODEL} where m.id = p.model_id),
                coalesce(p.ready_at, p.created_at), p.lease_until, ${nameOf('p.evaluator')},
                (s.content #>> '{limits,memory}')::float8, (s.content #>> '{limits,cpus}')::float8
           from placement p join task t on t.id = p.task_id join run_specification s on s.id = p.specification_id
          where p.state in ('starting', 'ready') and p.lease_until > now()) under_way
        order by since, id`,
    );
    const timeOf = (time: Date | string): string => new Date(time).toISOString();
    return rows.map((row) => ({ ...row, since: timeOf(row.since), leaseUntil: timeOf(row.leaseUntil) }));
  }
}
