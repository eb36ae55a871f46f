import { hash } from 'node:crypto';
import { RefusedForNow } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SignInAttemptRepository } from './sign-in-attempt.repository.js';

/** Wrong passwords allowed for one account from one client, until its first attempt expires. */
const MOST_ATTEMPTS = 10;
/** Wrong passwords allowed for one account from all clients that have never signed in to it. */
const MOST_UNKNOWN_ATTEMPTS = 100;

/**
 * The origin of a sign-in attempt. A browser that has signed in to the account before is counted
 * separately, so that wrong passwords of others do not lock it out (OWASP: slow down online
 * guessing attacks with device cookies).
 */
export type AttemptOrigin =
  /** A browser that has signed in to this account. */
  | { readonly kind: 'device'; readonly id: string }
  /** A client network. */
  | { readonly kind: 'network'; readonly id: string }
  /** A session or token of the account, for an action that requires the password. */
  | { readonly kind: 'credential' };

/**
 * Counts a sign-in attempt for the account with this address. Call it before the password is
 * checked, so that concurrent attempts count too. It behaves the same whether or not the account
 * exists. The count is in the database, shared by all processes.
 * @throws RefusedForNow `too_many_attempts`
 */
export async function countAttempt(em: EntityManager, email: string, origin: AttemptOrigin): Promise<void> {
  const attempts = new SignInAttemptRepository(em);
  const own = await attempts.count(originKey(email, origin), MOST_ATTEMPTS);
  if (own.isExceeded) {
    throw tooMany('Too many wrong passwords for this account from your browser or network.', own.seconds);
  }
  if (origin.kind !== 'network') return;
  const unknown = await attempts.count(accountKey(email), MOST_UNKNOWN_ATTEMPTS);
  if (unknown.isExceeded) {
    throw tooMany('Too many wrong passwords for this account from different networks.', unknown.seconds);
  }
}

/** Clears the attempts of an origin that sent the right password, and all expired attempts. */
export async function forgetAttempts(em: EntityManager, email: string, origin: AttemptOrigin): Promise<void> {
  const attempts = new SignInAttemptRepository(em);
  await attempts.forget(originKey(email, origin));
  // the right password was also counted among the attempts of all unknown clients
  if (origin.kind === 'network') await attempts.takeBack(accountKey(email));
  await attempts.forgetExpired();
}

const tooMany = (why: string, seconds: number): RefusedForNow =>
  new RefusedForNow(
    'too_many_attempts',
    `${why} Wait ${seconds} s, or sign in from a browser in which you have signed in before. Sessions and tokens keep working.`,
    seconds,
  );

const accountKey = (email: string): string => hash('sha256', email.toLowerCase());

const originKey = (email: string, origin: AttemptOrigin): string =>
  hash('sha256', `${email.toLowerCase()}\n${origin.kind}\n${'id' in origin ? origin.id : ''}`);
