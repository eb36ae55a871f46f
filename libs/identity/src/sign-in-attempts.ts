import { createHash } from 'node:crypto';
import { RefusedForNow } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Wrong passwords that an account takes before it takes none for a while, from wherever they come. */
export const MOST_ATTEMPTS = 10;
const MINUTES = 15;

/**
 * Counts an attempt at the password of the account with this address, before it is looked at: so that many at once are counted as well. It makes
 * no difference whether there is such an account. In the database, for all processes together.
 * @throws RefusedForNow `too_many_attempts`
 */
export async function countAttempt(em: EntityManager, email: string): Promise<void> {
  const [counted] = await em.execute<{ attempts: number; seconds: number }[]>(
    `insert into sign_in_attempt as known (account, attempts, ends_at) values (?, 1, now() + make_interval(mins => ?))
       on conflict (account) do update
       set attempts = case when known.ends_at <= now() then 1 else least(known.attempts, ?) + 1 end,
           ends_at = case when known.ends_at <= now() then excluded.ends_at else known.ends_at end
     returning attempts, ceil(extract(epoch from ends_at - now()))::int as seconds`,
    [accountKey(email), MINUTES, MOST_ATTEMPTS],
  );
  const { attempts, seconds } = counted!;
  if (attempts <= MOST_ATTEMPTS) return;
  throw new RefusedForNow(
    'too_many_attempts',
    `Too many wrong passwords for this account: wait ${seconds} s. Whoever is signed in stays so, and tokens go on.`,
    seconds,
  );
}

/** Somebody knew the password: what was counted is forgotten, and so is what ended by itself. */
export async function forgetAttempts(em: EntityManager, email: string): Promise<void> {
  await em.execute('delete from sign_in_attempt where account = ?', [accountKey(email)]);
  await em.execute(
    `delete from sign_in_attempt where account in
       (select account from sign_in_attempt where ends_at <= now() for update skip locked)`,
  );
}

const accountKey = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('hex');
