// Starts one PostgreSQL server for all specs of a Jest run. Each spec file creates its own database
// on it (test-services.ts).
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../../scripts/typescript.mjs';

const SERVER = Symbol.for('assay.test.postgres');

export default async function start() {
  if (globalThis[SERVER]) return;
  const { startPostgres } = await import('../../../scripts/services/embedded-postgres.ts');
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'));
  chmodSync(directory, 0o711);
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    database: 'assay',
    durability: 'none',
    connections: 300,
    log: join(directory, 'postgres.log'),
  });
  globalThis[SERVER] = { server, directory };
  // the workers inherit the environment
  process.env.ASSAY_TEST_DATABASE_URL = server.url;
  process.env.ASSAY_TEST_APPLICATION_URL = server.applicationUrl;
}
