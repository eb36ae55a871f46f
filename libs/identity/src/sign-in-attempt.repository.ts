import { databaseTime, Repository } from '@assay/persistence/queries';
import type { SignInAttemptSchema } from './sign-in-attempt.js';

/** The outcome of counting an attempt. */
export interface CountedAttempts {
  /** True if more attempts than allowed were counted. */
  readonly isExceeded: boolean;
  /** Seconds until the attempts expire. */
  readonly seconds: number;
}

/** Minutes after the first attempt until the attempts with its key expire. */
const MINUTES = 15;

/** The counted sign-in attempts of the database, by key. All times are those of the database. */
export class SignInAttemptRepository extends Repository<typeof SignInAttemptSchema> {
  /** Counts one more attempt, up to one above `most`. */
  async count(key: string, most: number): Promise<CountedAttempts> {
    const [counted] = await this.em.execute<{ attempts: number; seconds: number }[]>(
      `insert into sign_in_attempt as known (account, attempts, ends_at) values (?, 1, now() + make_interval(mins => ?))
         on conflict (account) do update
         set attempts = case when known.ends_at <= now() then 1 else least(known.attempts, ?) + 1 end,
             ends_at = case when known.ends_at <= now() then excluded.ends_at else known.ends_at end
       returning attempts, ceil(extract(epoch from ends_at - now()))::int as seconds`,
      [key, MINUTES, most],
    );
    const { attempts, seconds } = counted!;
    return { isExceeded: attempts > most, seconds };
  }

  async forget(key: string): Promise<void> {
    await this.db.deleteFrom('sign_in_attempt').where('account', '=', key).execute();
  }

  /** Takes one attempt back. */
  async takeBack(key: string): Promise<void> {
    await this.db.deleteFrom('sign_in_attempt').where('account', '=', key).where('attempts', '<=', 1).execute();
    await this.db
      .updateTable('sign_in_attempt')
      .set((attempt) => ({ attempts: attempt('attempts', '-', 1) }))
      .where('account', '=', key)
      .execute();
  }

  /** Deletes expired attempts, except those that another transaction holds. */
  async forgetExpired(): Promise<void> {
    await this.db
      .deleteFrom('sign_in_attempt')
      .where('account', 'in', (attempt) =>
        attempt
          .selectFrom('sign_in_attempt')
          .select('account')
          .where('endsAt', '<=', databaseTime())
          .forUpdate()
          .skipLocked(),
      )
      .execute();
  }
}
