import stopPostgres from './postgres.teardown.mjs';

const SUPERVISOR = Symbol.for('assay.test.supervisor');

export default async function stop() {
  const { server, service } = globalThis[SUPERVISOR] ?? {};
  delete globalThis[SUPERVISOR];
  server?.close();
  server?.closeAllConnections();
  await (await service?.catch(() => undefined))?.close();
  await stopPostgres();
}
