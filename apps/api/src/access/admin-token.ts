import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AccountsService, CredentialsService, isAdministrator } from '@assay/identity';
import { withAdvisoryLock } from '@assay/persistence/locks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Environment } from '../environment.js';

/**
 * Creates an administrator at the first start and writes its token to `$ASSAY_HOME/admin-token`
 * (mode 600). Replaces the file if its token is not that of an administrator of this database.
 */
@Injectable()
export class AdminToken {
  readonly path: string;

  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountsService,
    private readonly credentials: CredentialsService,
    private readonly environment: Environment,
  ) {
    this.path = join(this.environment.home, 'admin-token');
  }

  async ensure(): Promise<void> {
    await withAdvisoryLock(this.em, 'assay administrator', async () => {
      const { user } = await this.accounts.ensureAdministrator();
      if (await this.isValid()) return;
      const { secret } = await this.credentials.issue(user, 'token', 'admin-token');
      await mkdir(this.environment.home, { recursive: true });
      const written = `${this.path}.${randomUUID()}`;
      await writeFile(written, `${secret}\n`, { mode: 0o600, flag: 'wx' });
      await rename(written, this.path);
    });
  }

  private async isValid(): Promise<boolean> {
    const secret = await readFile(this.path, 'utf8').catch(() => '');
    return isAdministrator(await this.credentials.authenticate(secret.trim()));
  }
}
