import type { Rng } from '@assay/kernel';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import { collectionOf } from '../people/eligibility.js';
import { type KindCounts, nextKind } from './item-kind.js';
import { Validation } from './validation.js';
import { ValidationAssignmentRepository } from './validation-assignment.repository.js';

/**
 * Milliseconds for which an unanswered validation stays assigned to a validator. After that, the
 * example may go to another one.
 */
export const ASSIGNED_MILLISECONDS = 15 * 60_000;

export interface Validator {
  /** The ID of the user. */
  readonly user: string;
  readonly pseudonym: string;
}

/** The number of examples of each kind among which one is chosen. */
const CANDIDATES = 50;

/** A request of a validator for an example of a round. */
interface Requested {
  readonly task: Task;
  readonly round: Round;
  readonly validator: Validator;
  readonly now: Date;
  /**
   * Wait for an example that another transaction has locked. Requires a transaction that has locked
   * no annotation, because two transactions could wait for each other.
   */
  readonly wait: boolean;
  /** The examples of rounds that await validators. */
  readonly awaiting: AwaitingCounts;
}

const COUNTED_ROUNDS = 1000;
const COUNTED_MILLISECONDS = 10_000;

/**
 * The number of examples of a round that await validators, by kind. Counted again after ten
 * seconds, because a large round changes little within them.
 */
export type AwaitingCounts = LRUCache<string, KindCounts, EntityManager>;

export const awaitingCounts = (): AwaitingCounts =>
  new LRUCache<string, KindCounts, EntityManager>({
    max: COUNTED_ROUNDS,
    ttl: COUNTED_MILLISECONDS,
    fetchMethod: (round, _stale, { context: em }) => new ValidationAssignmentRepository(em).awaiting(round),
  });

/**
 * Assigns an example of the round to a validator. Locks the example until the transaction ends, so
 * that it never has more open validations than it still needs. Concurrent validators do not wait
 * for each other as long as there are other examples.
 * @returns null if no example is left for them; `busy` if other transactions have locked all that
 *   are left, or took the one that this transaction waited for. Call again with `wait`, in a new
 *   transaction.
 */
export async function assignValidation(
  em: EntityManager,
  { task, round, validator, now, wait, awaiting }: Requested,
  rng: Rng,
): Promise<Validation | 'busy' | null> {
  const settings = collectionOf(task);
  const since = new Date(now.getTime() - ASSIGNED_MILLISECONDS);
  const { pseudonym, user } = validator;
  const repository = new ValidationAssignmentRepository(em);
  const { kinds: seen, authors } = await repository.assignedSoFar(round.id, user);
  const full = Array.from(authors).flatMap(([author, count]) => (count >= settings.sameAuthor ? [author] : []));
  const requesting = { round: round.id, user, pseudonym, since };
  const candidates = await repository.candidates(requesting, settings, full, CANDIDATES);
  const left = await leftOf(candidates, () => awaiting.forceFetch(round.id, { context: em }));
  const kind = nextKind({ seen, left, nonFooling: settings.nonFooling }, `${round.id} ${user}`, rng);
  if (kind === null) return null;

  let ids: readonly string[] = wait ? candidates[kind].slice(0, 1) : candidates[kind];
  while (ids.length > 0) {
    const annotation = wait ? await repository.lock(ids[0]!) : await repository.lockFree(ids);
    if (annotation === null) break;
    // null if another transaction assigned it before the lock
    const assigned = await repository.assign(annotation, requesting, settings, now);
    if (assigned !== null) return assigned;
    ids = ids.slice(ids.indexOf(annotation.id) + 1);
  }
  return 'busy';
}

/**
 * Returns the number of examples left for a validator, by kind. If there are more than the
 * candidates of a kind, it is the number of those that await any validator.
 */
async function leftOf(
  { fooling, other, check }: Awaited<ReturnType<ValidationAssignmentRepository['candidates']>>,
  countAwaiting: () => Promise<KindCounts>,
): Promise<KindCounts> {
  const found = { fooling: fooling.length, other: other.length, check: check.length };
  if (Math.max(found.fooling, found.other) < CANDIDATES) return found;
  const awaiting = await countAwaiting();
  const of = (kind: 'fooling' | 'other') =>
    found[kind] < CANDIDATES ? found[kind] : Math.max(found[kind], awaiting[kind]);
  return { ...found, fooling: of('fooling'), other: of('other') };
}
