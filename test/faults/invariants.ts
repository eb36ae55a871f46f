import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelState } from '@assay/contracts/models';
import { queueBackend, queueStates } from '@assay/jobs';
import { isFinal } from '../../libs/contracts/src/models/model.js';
import { orphanedBlobs } from '../factories/worlds/orphaned-blobs.js';
import type { ServiceWorld } from '../factories/worlds/service-world.js';
import type { DatabaseWitness } from './database-witness.js';

const SETTLED_MILLISECONDS = 120_000;
/**
 * The pause between two checks of all invariants, in milliseconds. One check takes about 100 ms of
 * processor time.
 */
const PAUSE_MILLISECONDS = 500;

interface Named {
  readonly what: string;
}

/** A service whose invariants are checked. */
export interface Settled {
  readonly world: ServiceWorld;
  /** Null if the queue is in PostgreSQL. */
  readonly redis: { readonly url: string } | null;
  /** The models whose artifacts were accepted with 202. */
  readonly accepted: readonly string[];
  /**
   * `counted`: active jobs are violations. The jobs of a dead process stay active until their lock
   * expires, after up to a minute; then they find that there is nothing left to do.
   */
  readonly activeJobs: 'counted' | 'left alone';
}

/**
 * Checks all invariants that must hold after any failure, once no work is left.
 * @returns A description of each violation.
 */
export async function brokenInvariants(service: Settled): Promise<string[]> {
  return [
    ...(await lostSubmissions(service)),
    ...(await cellsThatAreNotWhole(service)),
    ...(await orphanedRows(service)),
    ...(await orphanedBlobs({ home: service.world.home, rows: (query) => service.world.rows(query) })),
    ...(await queuedJobs(service)),
    ...(await staleBoards(service)),
    ...(await heldConnections(service)),
    ...(await service.world.residue()).map((path) => `left behind: ${path}`),
    ...processesOf(service.world).map((what) => `left behind: ${what}`),
  ];
}

/**
 * Repeats the check until it finds no violation, or until the time is over.
 * @returns The violations of the last check.
 */
export async function stillBroken(world: ServiceWorld, look: () => Promise<string[]>): Promise<string[]> {
  const deadline = Date.now() + SETTLED_MILLISECONDS;
  for (;;) {
    const broken = await look().catch((error: unknown) => [`nobody could look: ${(error as Error).message}`]);
    if (broken.length === 0 || !world.api.running || Date.now() > deadline) return broken;
    await sleep(PAUSE_MILLISECONDS);
  }
}

/**
 * Checks that each result was recorded once and announced once.
 * @returns A description of each violation.
 */
export async function repeatedResults(witness: DatabaseWitness): Promise<string[]> {
  const wrong = await witness.rows<Named>(
    `select format('results of evaluation %s: %s', e.id, count(w.evaluation)) as what
       from evaluation e left join witnessed_result w on w.evaluation = e.id
      where e.state = 'scored' group by e.id having count(w.evaluation) <> 1`,
  );
  return [...wrong.map(({ what }) => what), ...witness.repeatedScores];
}

/** Checks that every accepted submission is final, or that a run is under way to finish it. */
async function lostSubmissions({ world, accepted }: Settled): Promise<string[]> {
  const models = await world.rows<{ name: string; state: ModelState; moving: boolean; open: number; scored: number }>(
    `select m.name, m.state,
       exists (select 1 from run r where r.specification_id = m.specification_id and r.task_id = m.task_id
         and r.purpose = 'evaluation' and r.state in ('queued', 'leased')) as moving,
       (select count(*)::int from evaluation e where e.specification_id = m.specification_id
         and e.state in ('queued', 'running')) as open,
       (select count(*)::int from evaluation e where e.specification_id = m.specification_id and e.state = 'scored') as scored
      from model m where m.specification_id is not null`,
  );
  const absent = await world.rows<{ id: string }>(
    `select id from unnest($1::uuid[]) as accepted (id)
      where not exists (select 1 from model m where m.id = accepted.id and m.specification_id is not null)`,
    [accepted],
  );
  const lost = absent.map(({ id }) => `lost: model ${id}, which was accepted`);
  const stuck = models.flatMap(({ name, state, moving, open, scored }) => {
    if (!isFinal(state)) return moving ? [] : [`lost: model ${name} is ${state}, and no run is there for it`];
    if (open > 0 && !moving) return [`lost: ${open} evaluations of ${name}, which is ${state}`];
    return state === 'scored' && scored === 0 ? [`lost: ${name} is scored without a score`] : [];
  });
  return [...lost, ...stuck];
}

async function cellsThatAreNotWhole({ world }: Settled): Promise<string[]> {
  const wrong = await world.rows<Named>(
    `select format('%s evaluations of specification %s on version %s', count(*), specification_id, dataset_version_id) as what
       from evaluation group by specification_id, dataset_version_id having count(*) > 1
     union all
     select format('evaluation %s is scored and lacks its predictions or figures', id)
       from evaluation where state = 'scored' and (predictions is null or resamples is null or metrics is null)`,
  );
  return wrong.map(({ what }) => what);
}

async function orphanedRows({ world }: Settled): Promise<string[]> {
  const rows = await world.rows<Named>(
    `select format('undelivered event %s %s, %s attempts', id, type, attempts) as what from outbox_event where delivered_at is null
     union all
     select format('run %s is %s, and leased to %s until %s', id, state, coalesce(lease_owner, 'nobody'), lease_until)
       from run where lease_owner is not null or lease_until is not null or state = 'leased' or (state = 'queued' and purpose = 'evaluation')
     union all
     select format('evaluation %s is running in run %s, which is %s', e.id, r.id, r.state)
       from evaluation e join run r on r.id = e.run where e.state = 'running' and r.state <> 'leased'`,
  );
  return rows.map(({ what }) => what);
}

async function queuedJobs({ redis, world, activeJobs }: Settled): Promise<string[]> {
  const states = await queueStates(queueBackend(redis?.url, world.databaseUrl, 1));
  return states
    .filter(({ waiting, delayed, failed, active }) => {
      const open = waiting + delayed + failed;
      return (activeJobs === 'counted' ? open + active : open) > 0;
    })
    .map((state) => `jobs in the queue: ${JSON.stringify(state)}`);
}

/** Checks that no connection stays in a transaction or holds an advisory lock. */
async function heldConnections({ world }: Settled): Promise<string[]> {
  const held = await world.rows<Named>(
    `select format('a connection of %s is in a transaction since %s: %s', application_name, xact_start, left(query, 80)) as what
       from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%' and state_change < now() - interval '30 seconds'
     union all
     select format('an advisory lock is held by %s', a.application_name)
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())`,
  );
  return held.map(({ what }) => what);
}

/** Returns the unknown processes that use this home folder, or that of an evaluator. */
function processesOf({ home, processes }: ServiceWorld): string[] {
  const known = new Set(processes);
  const isHome = new RegExp(`^ASSAY_(?:EVALUATOR_)?HOME=${RegExp.escape(home)}`);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && !known.has(pid) && environmentOf(pid).some((variable) => isHome.test(variable)))
    .map((pid) => `process ${pid}`);
}

/**
 * Returns the environment variables of a process. Empty if it has ended or belongs to another user.
 */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Checks that the latest board revision of every task contains all scored models. */
async function staleBoards({ world }: Settled): Promise<string[]> {
  const missing = await world.rows<Named>(
    `select format('the board of %s lacks %s', t.slug, m.name) as what
       from model m join task t on t.id = m.task_id
       left join lateral (
         select model_rows from board_revision b where b.task_id = t.id order by number desc limit 1) as newest on true
      where m.state = 'scored' and not exists (
        select from generate_series(0, length(newest.model_rows) / 32 - 1) as place
          join board_row r on r.digest = substr(newest.model_rows, 32 * place + 1, 32)
         where r.row ->> 'id' = m.id::text)`,
  );
  return missing.map(({ what }) => what);
}
