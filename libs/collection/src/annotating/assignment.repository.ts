import { statesBefore } from '@assay/kernel';
import { Repository } from '@assay/persistence/queries';
import { type Assignment, ASSIGNMENT_TRANSITIONS, type AssignmentSchema, type AssignmentState } from './assignment.js';

/** An assignment for which an example is sent. */
export type HandedContext = Pick<Assignment, 'id' | 'state' | 'createdAt'> & { readonly goal: string | null };

/** Changes assignments by conditional updates. */
export class AssignmentRepository extends Repository<typeof AssignmentSchema> {
  /** Locks and returns a person's newest assignment of a context, those without an example first. */
  lockNewest(context: string, user: string): Promise<HandedContext | undefined> {
    return this.db
      .selectFrom('assignment')
      .select(['id', 'state', 'goal', 'createdAt'])
      .where('context', '=', context)
      .where('user', '=', user)
      .orderBy((assignment) => assignment('state', '=', 'sent'))
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .forUpdate()
      .executeTakeFirst();
  }

  /** Reserves the context of an open assignment until `expiresAt`. */
  async prolong(id: string, expiresAt: Date): Promise<void> {
    await this.db
      .updateTable('assignment')
      .set({ expiresAt })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .execute();
  }

  /** Records that an example was sent. */
  async send(id: string): Promise<void> {
    await this.transition('sent').where('id', '=', id).execute();
  }

  /** Passes an open assignment, because the person gets another one. */
  async replace(id: string): Promise<void> {
    await this.transition('passed').where('id', '=', id).where('state', '=', 'open').execute();
  }

  /** Passes a person's assignments of a context, because they skipped or flagged it. */
  async pass(context: string, user: string): Promise<void> {
    await this.transition('passed').where('context', '=', context).where('user', '=', user).execute();
  }

  /** Expires the assignments of a context to other people whose time is over. */
  async expire(context: string, except: string, now: Date): Promise<void> {
    await this.transition('expired')
      .where('context', '=', context)
      .where('user', '<>', except)
      .where('expiresAt', '<=', now)
      .execute();
  }

  /** Returns how many open and sent assignments of a round have each label to write for. */
  async goalsShown(round: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db
      .selectFrom('assignment')
      .select((assignment) => ['goal', assignment.fn.countAll<string>().as('shown')])
      .where('round', '=', round)
      .where('goal', 'is not', null)
      .where('state', 'in', ['open', 'sent'])
      .groupBy('goal')
      .execute();
    return new Map(rows.map(({ goal, shown }) => [goal!, Number(shown)]));
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: AssignmentState) {
    return this.db
      .updateTable('assignment')
      .set('state', state)
      .where('state', 'in', statesBefore<AssignmentState>(ASSIGNMENT_TRANSITIONS, state));
  }
}
