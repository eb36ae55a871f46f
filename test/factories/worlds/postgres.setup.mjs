// Starts one PostgreSQL server for all specs of a Jest run. Each spec file creates its own database
// on it (test-services.ts).
import '../../../scripts/typescript.mjs';

const SERVER = Symbol.for('assay.test.postgres');

export default async function start() {
  if (globalThis[SERVER]) return;
  const { startTemporaryPostgres } = await import('../../../scripts/services/embedded-postgres.ts');
  const server = await startTemporaryPostgres();
  globalThis[SERVER] = server;
  // the workers inherit the environment
  process.env.ASSAY_TEST_DATABASE_URL = server.url;
  process.env.ASSAY_TEST_APPLICATION_URL = server.applicationUrl;
}
