import { isFinal, type ModelState } from '@assay/contracts';
import { queueBackend, queueStates } from '@assay/jobs';
import { orphanedBlobs } from '../factories/orphaned-blobs.js';
import type { FaultyService } from './faulty-service.js';

interface Named {
  readonly what: string;
}

/** All that must hold whatever failed, once there is nothing left to do. @returns in words what does not */
export async function brokenInvariants(service: FaultyService): Promise<string[]> {
  return [
    ...(await lostSubmissions(service)),
    ...(await resultsThatAreNotOne(service)),
    ...(await orphanedRows(service)),
    ...(await orphanedBlobs({ home: service.world.home, rows: (query) => service.witness.rows(query) })),
    ...(await queuedJobs(service)),
    ...(await staleBoards(service)),
    ...(await service.world.residue()).map((path) => `left behind: ${path}`),
    ...(await service.engineWatch.leftovers()).map((what) => `left behind: ${what}`),
  ];
}

/** What was accepted is final, or a run is to make it so. */
async function lostSubmissions({ witness }: FaultyService): Promise<string[]> {
  const models = await witness.rows<{ name: string; state: ModelState; moving: boolean; open: number; scored: number }>(
    `select m.name, m.state,
       exists (select 1 from run r where r.specification_id = m.specification_id and r.task_id = m.task_id
         and r.purpose = 'evaluation' and r.state in ('queued', 'leased')) as moving,
       (select count(*)::int from evaluation e where e.specification_id = m.specification_id
         and e.state in ('queued', 'running')) as open,
       (select count(*)::int from evaluation e where e.specification_id = m.specification_id and e.state = 'scored') as scored
      from model m where m.specification_id is not null`,
  );
  return models.flatMap(({ name, state, moving, open, scored }) => {
    if (!isFinal(state)) return moving ? [] : [`lost: model ${name} is ${state}, and no run is there for it`];
    if (open > 0 && !moving) return [`lost: ${open} evaluations of ${name}, which is ${state}`];
    return state === 'scored' && scored === 0 ? [`lost: ${name} is scored without a score`] : [];
  });
}

async function resultsThatAreNotOne({ witness }: FaultyService): Promise<string[]> {
  const wrong = await witness.rows<Named>(
    `select format('results of evaluation %s: %s', e.id, count(w.evaluation)) as what
       from evaluation e left join witnessed_result w on w.evaluation = e.id
      where e.state = 'scored' group by e.id having count(w.evaluation) <> 1
     union all
     select format('%s evaluations of specification %s on version %s', count(*), specification_id, dataset_version_id)
       from evaluation group by specification_id, dataset_version_id having count(*) > 1
     union all
     select format('evaluation %s is scored and lacks its predictions or figures', id)
       from evaluation where state = 'scored' and (predictions is null or resamples is null or metrics is null)`,
  );
  return wrong.map(({ what }) => what);
}

async function orphanedRows({ witness }: FaultyService): Promise<string[]> {
  const rows = await witness.rows<Named>(
    `select format('undelivered event %s %s, %s attempts', id, type, attempts) as what from outbox_event where delivered_at is null
     union all
     select format('run %s is %s, and leased to %s until %s', id, state, coalesce(lease_owner, 'nobody'), lease_until)
       from run where lease_owner is not null or lease_until is not null or state = 'leased'
     union all
     select format('evaluation %s is running in run %s, which is %s', e.id, r.id, r.state)
       from evaluation e join run r on r.id = e.run where e.state = 'running' and r.state <> 'leased'`,
  );
  return rows.map(({ what }) => what);
}

/** Jobs of the dead are not counted: they are theirs until the lock is over, a minute, and then find that all is done. */
async function queuedJobs({ redis, world }: FaultyService): Promise<string[]> {
  const states = await queueStates(queueBackend(redis?.url, world.databaseUrl, 1));
  return states
    .filter(({ waiting, delayed, failed }) => waiting + delayed + failed > 0)
    .map((state) => `jobs in the queue: ${JSON.stringify(state)}`);
}

/** The newest revision of a task's board has all models that are scored. */
async function staleBoards({ witness }: FaultyService): Promise<string[]> {
  const missing = await witness.rows<Named>(
    `select format('the board of %s lacks %s', t.slug, m.name) as what
       from model m join task t on t.id = m.task_id
       left join lateral (select content from board_revision b where b.task_id = t.id order by number desc limit 1) as newest on true
      where m.state = 'scored' and not coalesce(newest.content::text like '%' || m.id || '%', false)`,
  );
  return missing.map(({ what }) => what);
}
