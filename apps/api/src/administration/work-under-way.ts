import type { EvaluatorList, QueueStates, RunningSandboxes } from '@assay/contracts';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

type Sandbox = RunningSandboxes['items'][number];
type SandboxRow = Omit<Sandbox, 'since' | 'leaseUntil'> & { readonly since: Date; readonly leaseUntil: Date };

const MODEL = `(select jsonb_build_object('id', m.id, 'name', m.name, 'owner', u.username)
  from model m join user_account u on u.id = m.owner_id`;

const SANDBOXES = `
  select * from (
    select 'run' as kind, r.id, t.slug as task,
           case when r.stage = 'evaluation' then r.purpose else r.stage end as does,
           ${MODEL} where m.specification_id = r.specification_id and m.task_id = r.task_id order by m.id limit 1) as model,
           r.started_at as since, r.lease_until as "leaseUntil", r.lease_owner as evaluator,
           (s.content #>> '{limits,memory}')::float8 as memory, (s.content #>> '{limits,cpus}')::float8 as cpus
      from run r join task t on t.id = r.task_id join run_specification s on s.id = r.specification_id
     where r.state = 'leased' and r.lease_until > now()
    union all
    select 'placement', p.id, t.slug, p.state, ${MODEL} where m.id = p.model_id),
           coalesce(p.ready_at, p.created_at), p.lease_until, p.evaluator,
           (s.content #>> '{limits,memory}')::float8, (s.content #>> '{limits,cpus}')::float8
      from placement p join task t on t.id = p.task_id join run_specification s on s.id = p.specification_id
     where p.state in ('starting', 'ready') and p.lease_until > now()) under_way
   order by since, id`;

interface PresenceRow {
  readonly name: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly isRecent: boolean;
}

const PRESENCES = `
  select name, started_at as "startedAt", seen_at as "seenAt", seen_at > now() - interval '1 minute' as "isRecent"
    from evaluator_presence where seen_at > now() - interval '1 day'`;

const workOf = ({
  kind,
  id,
  task,
  model,
  does,
  since,
  leaseUntil,
}: Sandbox): EvaluatorList['items'][number]['work'][number] => ({
  kind,
  id,
  task,
  model,
  does,
  since,
  leaseUntil,
});

const RUNS = `
  select stage,
         count(*) filter (where state = 'queued')::int as queued,
         count(*) filter (where state = 'leased')::int as leased,
         count(*) filter (where state = 'failed' and finished_at > now() - interval '1 day')::int as "failedInDay",
         count(*) filter (where state = 'failed' and finished_at > now() - interval '1 day' and failure ->> 'fault' = 'platform')::int
           as "platformFailedInDay",
         extract(epoch from now() - min(created_at) filter (where state = 'queued' and purpose <> 'measures'))::float8
           as "oldestQueuedSeconds"
    from unnest(array['admission', 'evaluation']) stage left join run using (stage)
   group by stage order by stage`;

const EVENTS = `
  select count(*)::int as waiting, extract(epoch from now() - min(created_at))::float8 as "oldestSeconds"
    from outbox_event where delivered_at is null`;

/** Reads queued and running work from the database. */
@Injectable()
export class WorkUnderWay {
  constructor(private readonly em: EntityManager) {}

  /** Returns the leased runs and the active deployments, oldest first. */
  async sandboxes(): Promise<Sandbox[]> {
    const rows = await this.em.fork().execute<SandboxRow[]>(SANDBOXES);
    return rows.map((row) => ({ ...row, since: timeOf(row.since), leaseUntil: timeOf(row.leaseUntil) }));
  }

  /**
   * Returns the evaluators that were seen in the last day or hold a lease, with their work. Sorted
   * by name.
   */
  async evaluators(): Promise<EvaluatorList> {
    const present = new Map((await this.em.fork().execute<PresenceRow[]>(PRESENCES)).map((row) => [row.name, row]));
    const sandboxes = await this.sandboxes();
    const names = [...new Set([...present.keys(), ...sandboxes.map(({ evaluator }) => evaluator)])].sort();
    return {
      items: names.map((name) => {
        const presence = present.get(name);
        const work = sandboxes.filter(({ evaluator }) => evaluator === name).map(workOf);
        return {
          name,
          startedAt: presence ? timeOf(presence.startedAt) : null,
          seenAt: presence ? timeOf(presence.seenAt) : null,
          isLive: presence?.isRecent === true || work.length > 0,
          leases: work.length,
          work,
        };
      }),
    };
  }

  /** Returns the numbers of runs by stage, and of undelivered outbox events. */
  async queued(): Promise<Pick<QueueStates, 'runs' | 'events'>> {
    const em = this.em.fork();
    const [events] = await em.execute<QueueStates['events'][]>(EVENTS);
    return { events: events!, runs: await em.execute<QueueStates['runs']>(RUNS) };
  }
}

const timeOf = (time: Date | string): string => new Date(time).toISOString();
