import type { Failure, ModelState } from '@assay/contracts/models';
import { type PartOfList, statesBefore } from '@assay/kernel';
import {
  databaseTime,
  jsonValue,
  preparedRows,
  Repository,
  SerializationFailure,
  type TablesOf,
} from '@assay/persistence/queries';
import { type ExpressionBuilder, sql } from 'kysely';
import { Model, MODEL_TRANSITIONS, type ModelSchema } from './model.js';
import { RunSpecificationRepository } from './run-specification.repository.js';

/** The models of one specification for one task. They share all evaluations. */
export interface SameModels {
  readonly specification: string;
  readonly task: string;
}

/** The state that models have, and why they failed. */
export interface SettledState {
  readonly state: ModelState;
  readonly failure: Failure | null;
}

/** The submissions of one owner that failed in the same way, or did not fail. */
export interface CountedSubmissions {
  /** The ID of the owner. */
  readonly owner: string;
  /** Null if they did not fail. */
  readonly fault: Failure['fault'] | null;
  readonly code: Failure['code'] | null;
  readonly count: number;
}

/** A model in the list of its owner. */
export interface OwnModel extends Pick<
  Model,
  'id' | 'name' | 'kind' | 'state' | 'failure' | 'published' | 'withdrawn' | 'createdAt'
> {
  /** The task's slug. */
  readonly task: string;
  readonly taskName: string;
}

/** A model with a model that it was declared to descend from. */
export interface Descent {
  readonly child: DescentModel;
  readonly parent: DescentModel;
}

interface DescentModel {
  readonly id: string;
  /** The digest of its artifact; null until that has arrived. */
  readonly artifact: string | null;
}

/**
 * SQL condition on a row of `model`: its last run failed through its own fault. Archived models do
 * not count, as they can be restored.
 */
export const FAILED_BY_ITSELF = `model.state = 'failed' and model.failure ->> 'fault' = 'model'
  and model.failure ->> 'code' <> 'artifact_archived'`;

type ModelTables = TablesOf<typeof ModelSchema>;

/**
 * The models of the database. State changes are conditional updates, whose callers hold the lock of
 * the specification.
 */
export class ModelRepository extends Repository<typeof ModelSchema> {
  /** Returns the declared lineage of all models of a task, also of those that are not public. */
  async lineageOf(task: string): Promise<readonly Descent[]> {
    return preparedRows<Descent>(
      this.em,
      `select json_build_object('id', m.id, 'artifact', a.digest) as child,
              json_build_object('id', pm.id, 'artifact', pa.digest) as parent
         from model m
         cross join lateral jsonb_array_elements_text(m.derived_from) as p (id)
         join model pm on pm.id = p.id::uuid and pm.task_id = m.task_id
         left join run_specification s on s.id = m.specification_id left join artifact a on a.id = s.artifact_id
         left join run_specification ps on ps.id = pm.specification_id left join artifact pa on pa.id = ps.artifact_id
        where m.task_id = $1 and m.derived_from <> '[]'`,
      [task],
    );
  }

  /** Returns the number of submissions to a task whose artifact has arrived, by owner ID and failure. */
  submissionsByFailure(task: string): Promise<CountedSubmissions[]> {
    return preparedRows<CountedSubmissions>(
      this.em,
      `select owner_id as owner, failure ->> 'fault' as fault, failure ->> 'code' as code, count(*)::int as count
         from model where task_id = $1 and accepted_at is not null group by 1, 2, 3`,
      [task],
    );
  }

  /**
   * Locks the specification of a model, if it has one, then the model. Rows that refer to the model
   * can still be added.
   * @returns the current model, with its task, owner and specification
   * @throws SerializationFailure if the model got its specification in the meantime: locking that
   * now would break the lock order
   */
  async getForUpdate(id: string): Promise<Model> {
    const locked = await new RunSpecificationRepository(this.em).lockOf(id);
    await this.db.selectFrom('model').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    const populate = ['task', 'owner', 'specification'] as const;
    const model = await this.em.findOneOrFail(Model, id, { refresh: true, populate });
    if (model.specification?.id === locked) return model;
    throw new SerializationFailure(`model ${id} has got its artifact`);
  }

  /** Returns one page of the models that a user submitted to any task, newest first. */
  async ofOwner(userId: string, { most, after }: PartOfList): Promise<readonly OwnModel[]> {
    const rows = await preparedRows<Omit<OwnModel, 'createdAt'> & { readonly created_at: string }>(
      this.em,
      // not as entities: each model would load the long definition of its task
      `select m.id, t.slug as task, t.definition ->> 'name' as "taskName", m.name, m.kind, m.state, m.failure, m.published, m.withdrawn,
          m.created_at
         from model m join task t on t.id = m.task_id where m.owner_id = $1 and ($2::uuid is null or m.id < $2)
        order by m.id desc limit $3`,
      [userId, after, most],
    );
    return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt: new Date(createdAt) }));
  }

  /** Returns whether one of the models, not withdrawn, failed in its last run through its own fault. */
  anyFailedByItself(models: SameModels): Promise<boolean> {
    return this.exists(
      this.db
        .selectFrom('model')
        .select('id')
        .where(same(models))
        .where('withdrawn', '=', false)
        .where(sql.raw<boolean>(FAILED_BY_ITSELF))
        .limit(1),
    );
  }

  /**
   * Sets the state of the models, except cancelled ones.
   * @returns the IDs of the models that changed
   */
  settle(models: SameModels, { state, failure }: SettledState): Promise<readonly string[]> {
    const settled = this.transition(state)
      .set({ failure: jsonValue(failure) })
      .where(same(models))
      .where('state', '<>', 'cancelled')
      .where((model) =>
        model.or([model('state', '<>', state), model('failure', 'is distinct from', jsonValue(failure))]),
      )
      .returning('id');
    return this.idsOf(settled.execute());
  }

  /** Puts a model back into the queue, also a cancelled one. */
  async requeue(id: string): Promise<void> {
    await this.transition('queued').set({ failure: null }).where('id', '=', id).execute();
  }

  /** Records that the models have a score now, unless they had one before. */
  async recordFirstScore(models: SameModels): Promise<void> {
    await this.db
      .updateTable('model')
      .set({ firstScoredAt: databaseTime() })
      .where(same(models))
      .where('firstScoredAt', 'is', null)
      .execute();
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: ModelState) {
    return this.db
      .updateTable('model')
      .set('state', state)
      .where('state', 'in', statesBefore<ModelState>(MODEL_TRANSITIONS, state));
  }
}

const same =
  ({ specification, task }: SameModels) =>
  (model: ExpressionBuilder<ModelTables, 'model'>) =>
    model.and([model('specification', '=', specification), model('task', '=', task)]);
