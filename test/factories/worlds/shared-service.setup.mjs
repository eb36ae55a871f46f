// Starts PostgreSQL, and a supervisor that starts one service for all specs of a Jest run when the
// first of them asks (shared-service.ts).
import { once } from 'node:events';
import { createServer } from 'node:http';
import startPostgres from './postgres.setup.mjs';

const SUPERVISOR = Symbol.for('assay.test.supervisor');

export default async function start() {
  await startPostgres();
  const supervisor = { service: undefined, server: createServer(answer) };
  globalThis[SUPERVISOR] = supervisor;
  supervisor.server.listen(0, '127.0.0.1').unref();
  await once(supervisor.server, 'listening');
  // the workers inherit the environment
  process.env.ASSAY_TEST_SUPERVISOR = `http://127.0.0.1:${supervisor.server.address().port}`;

  async function answer(_, response) {
    try {
      const { url, home, instance, databaseUrl, applicationUrl } = await (supervisor.service ??= startService());
      response.end(JSON.stringify({ url, home, instance, databaseUrl, applicationUrl }));
    } catch (error) {
      response.writeHead(500).end(String(error.stack));
    }
  }
}

async function startService() {
  const { ServiceWorld } = await import('./service-world.ts');
  // the users of all specs share one address, and thus one rate limit
  return ServiceWorld.start({ ASSAY_SIGN_INS_PER_MINUTE: '1000' });
}
