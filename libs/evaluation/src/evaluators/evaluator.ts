import type { EvaluatorHost } from '@assay/contracts/evaluators';
import { User } from '@assay/identity';
import { assertTransition, newId, type TransitionTable } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/** The legal transitions of a registered evaluator. A removed one is never registered again. */
export const EVALUATOR_TRANSITIONS = {
  active: ['removed'],
  removed: [],
} as const satisfies TransitionTable<EvaluatorState>;

/** The prefix of the names of evaluators in leases. No worker has such a name. */
export const LEASE_PREFIX = 'remote/';

/** Returns the name of an evaluator in the leases of runs and deployments. */
export const leaseOwnerOf = ({ name }: { readonly name: string }): string => LEASE_PREFIX + name;

const STATES = ['active', 'removed'] as const;
export type EvaluatorState = (typeof STATES)[number];

export const EvaluatorSchema = defineEntity({
  name: 'Evaluator',
  indexes: [
    { properties: ['owner'] },
    {
      name: 'evaluator_active_name',
      expression: `create unique index "evaluator_active_name" on "evaluator" ("name") where "state" = 'active'`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    /** Unique among the evaluators that are not removed. */
    name: p.string().length(60),
    /** sha256 of the token, so that read access to the table is not enough to act as the evaluator. */
    tokenHash: p.string().length(64).unique(),
    /**
     * The user whose tasks alone it serves. Null: an administrator registered it for everyone's tasks.
     * Deleting a user deletes the row, because without its owner it would serve everyone.
     */
    owner: () => p.manyToOne(User).deleteRule('cascade').nullable(),
    state: p.enum(STATES).default('active').$type<EvaluatorState>(),
    createdAt: p.datetime().defaultRaw('now()'),
    removedAt: p.datetime().nullable(),
    /**
     * Time of the database at its last report or, after its removal, at the last request with its token. Null: there
     * was none. All that it reports is null until its first report.
     */
    lastSeenAt: p.datetime().nullable(),
    /** The version of Assay that it runs. */
    version: p.string().length(60).nullable(),
    /** The version of the gateway's protocol that it uses, also if the service does not support it. */
    protocol: p.integer().nullable(),
    host: p.json<EvaluatorHost>().nullable(),
    /** Why it cannot run models now. Null: it can, or it has never reported. */
    problem: p.string().length(1000).nullable(),
    /** Processors that runs may take. */
    slots: p.integer().nullable(),
    /** ID of the last measuring run on this host that evaluations had to wait for. Null: there was none. */
    drainedBy: p.uuid().nullable(),
    /**
     * The internal URL of the API process that has the evaluator's WebSocket, for example
     * `http://10.0.0.7:40123`. Null: it is not connected.
     */
    liveAddress: p.string().length(300).nullable(),
    /** The secret that callers must present there. New with every connection. */
    liveSecret: p.string().length(64).nullable(),
  },
});

/** A registered evaluator. The row stays after removal, for the audit log. */
export class Evaluator extends EvaluatorSchema.class {
  /**
   * Removes the evaluator, whose row is locked. Its token stops working.
   * @throws TypeError if it was removed before
   */
  remove(at: Date): void {
    assertTransition<EvaluatorState>(EVALUATOR_TRANSITIONS, this.state, 'removed');
    this.state = 'removed';
    this.removedAt = at;
  }
}
EvaluatorSchema.setClass(Evaluator);
