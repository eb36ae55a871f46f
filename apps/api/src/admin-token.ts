import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AccountsService, CredentialsService } from '@assay/identity';
import { withAdvisoryLock } from '@assay/persistence';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Environment } from './environment.js';

/** The first start makes an administrator and writes its token to `$ASSAY_HOME/admin-token` (mode 600). */
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
      if (await exists(this.path)) return;
      const { secret } = await this.credentials.issue(user, 'token', 'admin-token');
      await mkdir(this.environment.home, { recursive: true });
      await writeFile(this.path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
