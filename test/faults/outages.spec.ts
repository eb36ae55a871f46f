import { afterAll, afterEach, beforeAll, describe, it } from '@jest/globals';
import { databaseFaults } from './database-faults.js';
import { DatabaseProxy } from './database-proxy.js';
import { diskFaults } from './disk-faults.js';
import { engineFaults } from './engine-faults.js';
import { EngineProxy } from './engine-proxy.js';
import { isFullForm } from '../factories/test-form.js';
import { FaultyService, QUEUE_BACKENDS } from './faulty-service.js';
import { SmallDisk } from './small-disk.js';
import { uploadFaults } from './upload-faults.js';

/** The short form uses only PostgreSQL, so that the database under test also holds the queue. */
const BACKENDS = isFullForm ? QUEUE_BACKENDS : (['PostgreSQL'] as const);

describe.each(BACKENDS)('the service, with its queue on %s,', (queue) => {
  const disk = SmallDisk.mount();
  let engine: EngineProxy;
  let proxy: DatabaseProxy;
  let service: FaultyService;

  beforeAll(async () => {
    engine = await EngineProxy.start();
    service = await FaultyService.start({
      queue,
      environment: { DOCKER_HOST: engine.host },
      ...(disk && { folder: disk.path }),
      through: async (databaseUrl) => {
        proxy = await DatabaseProxy.start(databaseUrl);
        return proxy.url;
      },
    });
  });
  afterEach(() => {
    disk?.grow();
    engine?.forward();
  });
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
    await engine?.close();
    disk?.unmount();
  });

  databaseFaults(() => ({ service, proxy }));
  engineFaults(() => ({ service, engine }));
  uploadFaults(() => service);
  if (disk) {
    diskFaults(() => ({ service, disk }));
  } else {
    console.warn('SKIPPED: a disk that is full: this process may not mount one');
    it.skip('on a disk of its own', () => undefined);
  }
});
