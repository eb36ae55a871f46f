const SERVER = Symbol.for('assay.test.postgres');

export default async function stop() {
  const running = globalThis[SERVER];
  if (!running) return;
  delete globalThis[SERVER];
  await running[Symbol.asyncDispose]();
}
