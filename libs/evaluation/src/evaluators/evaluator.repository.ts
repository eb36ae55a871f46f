import {
  EVALUATOR_ONLINE_SECONDS,
  type EvaluatorHost,
  type EvaluatorPresence,
  type EvaluatorView,
  type ReportPresence,
} from '@assay/contracts/evaluators';
import { statesBefore } from '@assay/kernel';
import { databaseTime, databaseTimeIn, jsonValue, preparedRows, Repository } from '@assay/persistence/queries';
import { sql } from 'kysely';
import { type Evaluator, EVALUATOR_TRANSITIONS, type EvaluatorSchema, type EvaluatorState } from './evaluator.js';

/** The evaluator that a token belongs to. */
export interface TokenHolder extends Pick<Evaluator, 'id' | 'name' | 'state'> {
  /** The username of its owner. Null: it serves everyone's tasks. */
  readonly owner: string | null;
  readonly ownerId: string | null;
  /** True if an administrator has blocked the account of its owner. */
  readonly isOwnerBlocked: boolean;
}

/** A registered evaluator in a list. */
export interface ListedEvaluator extends Omit<EvaluatorView, 'lastSeenAt' | 'createdAt'> {
  readonly lastSeenAt: Date | null;
  readonly createdAt: Date;
}

/** The registered evaluators of the database. All times are those of the database. */
export class EvaluatorRepository extends Repository<typeof EvaluatorSchema> {
  /** Returns the evaluator with this hash of its token, also if it is removed. */
  async holder(tokenHash: string): Promise<TokenHolder | null> {
    const [row] = await preparedRows<TokenHolder>(
      this.em,
      `select e.id, e.name, e.state, u.username as owner, u.id as "ownerId", u.blocked_at is not null as "isOwnerBlocked"
         from evaluator e left join user_account u on u.id = e.owner_id where e.token_hash = $1`,
      [tokenHash],
    );
    return row ?? null;
  }

  /** Returns the host that an evaluator has reported. Null: it has not reported one. */
  async hostOf(id: string): Promise<EvaluatorHost | null> {
    const row = await this.db.selectFrom('evaluator').select('host').where('id', '=', id).executeTakeFirst();
    return row?.host ?? null;
  }

  /**
   * Returns the evaluators that are not removed, by name.
   * @param owner the ID of the user whose evaluators are meant; null: those of all
   */
  active(owner: string | null): Promise<ListedEvaluator[]> {
    const evaluators = this.db
      .selectFrom('evaluator')
      .select(['id', 'name', 'version', 'protocol', 'host', 'slots', 'lastSeenAt', 'createdAt'])
      .select((evaluator) => [
        sql<string | null>`(select username from user_account where id = ${evaluator.ref('owner')})`.as('owner'),
        evaluator
          .case()
          .when('lastSeenAt', 'is', null)
          .then<EvaluatorPresence>('new')
          .when('lastSeenAt', '>', databaseTimeIn(-EVALUATOR_ONLINE_SECONDS))
          .then<EvaluatorPresence>('online')
          .else<EvaluatorPresence>('offline')
          .end()
          .as('state'),
      ])
      .where('state', '=', 'active')
      .orderBy('name');
    return (owner === null ? evaluators : evaluators.where('owner', '=', owner)).execute();
  }

  /**
   * Records the report of an evaluator.
   * @returns the time of the report; null if the evaluator is removed
   */
  async recordPresence(id: string, { protocol, version, host, slots }: ReportPresence): Promise<Date | null> {
    const evaluator = await this.db
      .updateTable('evaluator')
      .set({ protocol, version, host: jsonValue(host), slots, lastSeenAt: databaseTime() })
      .where('id', '=', id)
      .where('state', '=', 'active')
      .returning('lastSeenAt')
      .executeTakeFirst();
    return evaluator?.lastSeenAt ?? null;
  }

  /** Removes all evaluators of a user whose account is deleted, with everything that names their hosts. */
  async eraseOf(owner: string): Promise<void> {
    await this.db
      .updateTable('evaluator')
      .set({ state: 'removed', removedAt: databaseTime() })
      .where('owner', '=', owner)
      .where('state', 'in', statesBefore<EvaluatorState>(EVALUATOR_TRANSITIONS, 'removed'))
      .execute();
    await this.db
      .updateTable('evaluator')
      .set({ name: 'deleted', version: null, host: null })
      .where('owner', '=', owner)
      .execute();
  }
}
