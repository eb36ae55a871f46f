import { databaseTime, Repository } from '@assay/persistence/queries';
import type { ProviderSignInSchema } from './provider-sign-in.js';

/** The sign-ins at providers that the database has. */
export class ProviderSignInRepository extends Repository<typeof ProviderSignInSchema> {
  /** Deletes the sign-ins that have expired, except those that another transaction holds. */
  async deleteExpired(): Promise<void> {
    await this.db
      .deleteFrom('provider_sign_in')
      .where('hash', 'in', (signIn) =>
        signIn
          .selectFrom('provider_sign_in')
          .select('hash')
          .where('endsAt', '<=', databaseTime())
          .forUpdate()
          .skipLocked(),
      )
      .execute();
  }
}
