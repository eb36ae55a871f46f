import type { Failure, ModelState } from '@assay/contracts';
import { statesBefore } from '@assay/kernel';
import { databaseTime, jsonValue, type TablesOf, typedQueries } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { MODEL_TRANSITIONS, type ModelSchema } from './model.js';

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

type ModelTables = TablesOf<typeof ModelSchema>;

/** Changes the states of models by conditional updates. Callers hold the lock of the specification. */
export class ModelRepository {
  private readonly db: Kysely<ModelTables>;

  /** @param em its transaction is used, if it has one */
  constructor(em: EntityManager) {
    this.db = typedQueries<typeof ModelSchema>(em);
  }

  /**
   * Sets the state of the models, except cancelled ones.
   * @returns the IDs of the models that changed
   */
  async settle(models: SameModels, { state, failure }: SettledState): Promise<readonly string[]> {
    const rows = await this.transition(state)
      .set({ failure: jsonValue(failure) })
      .where(same(models))
      .where('state', '<>', 'cancelled')
      .where((model) =>
        model.or([model('state', '<>', state), model('failure', 'is distinct from', jsonValue(failure))]),
      )
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
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
