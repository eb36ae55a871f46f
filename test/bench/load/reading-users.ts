import { entities } from '@assay/application';
import { CredentialsService, User } from '@assay/identity';
import { databaseOptions } from '@assay/persistence';
import { MikroORM } from '@mikro-orm/postgresql';

/**
 * Creates a read token for each of `count` existing users, as the API does but without passwords.
 * @throws Error if there are fewer users.
 */
export async function readingTokens(databaseUrl: string, count: number): Promise<readonly string[]> {
  const orm = await MikroORM.init(databaseOptions({ url: databaseUrl, entities, poolMax: 1 }));
  try {
    const em = orm.em.fork();
    const credentials = new CredentialsService(em);
    const users = await em.find(User, { role: 'user' }, { limit: count, orderBy: { id: 'asc' } });
    if (users.length < count) throw new Error(`there are ${users.length} users, and ${count} should read`);
    const tokens: string[] = [];
    for (const user of users) tokens.push((await credentials.issue(user, 'token', 'load', { scope: 'read' })).secret);
    return tokens;
  } finally {
    await orm.close(true);
  }
}
