import type { RunningWork } from '@assay/contracts/evaluators';
import type { Principal } from '@assay/identity';
import { Repository } from '@assay/persistence/queries';
import { maySee } from '@assay/submissions';
import { LEASE_PREFIX } from '../evaluators/evaluator.js';
import { MODELS_OF_RUN, type RunningModel, runningModelsSql } from './running-model.js';

/** A run or a deployment that an evaluator holds now. */
interface HeldWork extends Pick<RunningWork, 'stage'> {
  /** The name of the evaluator. */
  readonly evaluator: string;
  readonly since: Date | string;
  /** The models that share it, the oldest first. */
  readonly models: readonly RunningModel[];
}

/** The work that evaluators hold now. */
export class RunningWorkRepository extends Repository {
  /**
   * Returns the runs and deployments that the named evaluators hold, oldest first, by the name of the
   * evaluator. Each has the first of its models that `principal` may see.
   */
  async shownTo(
    principal: Principal,
    evaluators: readonly string[],
  ): Promise<ReadonlyMap<string, readonly RunningWork[]>> {
    const held = Map.groupBy(await this.of(evaluators), ({ evaluator }) => evaluator);
    return new Map(held.entries().map(([name, work]) => [name, work.map((each) => workView(principal, each))]));
  }

  private of(evaluators: readonly string[]): Promise<HeldWork[]> {
    return this.em.execute<HeldWork[]>(
      `with asked as (
         select name, '${LEASE_PREFIX}' || name as holder from jsonb_array_elements_text(?::jsonb) as names (name))
       select * from (
         select asked.name as evaluator, case when run.purpose = 'measures' then run.purpose else run.stage end as stage,
                run.leased_at as since, ${MODELS_OF_RUN} as models
           from run join asked on asked.holder = run.lease_owner
          where run.state = 'leased' and run.lease_until > now()
         union all
         select asked.name, 'serving', coalesce(placement.ready_at, placement.created_at), ${runningModelsSql('m.id = placement.model_id')}
           from placement join asked on asked.holder = placement.evaluator
          where placement.state in ('starting', 'ready') and placement.lease_until > now()) as held
        order by since`,
      [JSON.stringify(evaluators)],
    );
  }
}

function workView(principal: Principal, { stage, since, models }: HeldWork): RunningWork {
  const model = models.find((each) => maySee(principal, each));
  return {
    stage,
    ...(model && {
      model: { id: model.id, name: model.name, owner: model.owner.username, task: model.task.slug },
    }),
    since: new Date(since).toISOString(),
  };
}
