import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiWorld } from '../../test/factories/worlds/api-world.js';
import { seededPages } from '../../test/factories/seeded/seeded-pages.js';
import { SEEDED_ENVIRONMENT, seedService } from '../../test/factories/seeded/seeded-service.js';
import { INFERENCE } from '../../test/factories/seeded/seeded-tasks.js';
import { build } from '../build.js';
import { ApiClient } from './api-client.js';
import { dashboardPages } from './dashboard-pages.js';
import { startPostgres } from './embedded-postgres.js';
import { type ShownPage, shownPages, type Viewer } from './shown-pages.js';

/** A service whose pages can be opened in a browser. */
export interface ShownDashboard {
  readonly address: string;
  readonly pages: readonly ShownPage[];
  readonly tokens: Readonly<Record<Exclude<Viewer, 'visitor'>, string>>;
  close(): Promise<void>;
}

/**
 * Starts a seeded service: a database, and an API in this process. Removes all its files when it is
 * closed.
 */
export async function seededDashboard(): Promise<ShownDashboard> {
  await build(['dashboard']);
  const directory = mkdtempSync(join(tmpdir(), 'assay-seeded-'));
  chmodSync(directory, 0o711);
  const postgres = await startPostgres({
    directory: join(directory, 'postgres'),
    database: 'assay',
    durability: 'none',
    connections: 100,
    log: join(directory, 'postgres.log'),
  });
  process.env['ASSAY_TEST_DATABASE_URL'] = postgres.url;
  process.env['ASSAY_TEST_APPLICATION_URL'] = postgres.applicationUrl;
  const endings: (() => Promise<void>)[] = [() => postgres.process.stop()];
  const close = async (): Promise<void> => {
    for (const end of endings) await end();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const world = await apiWorld(SEEDED_ENVIRONMENT);
    endings.unshift(() => world.close());
    const seed = await seedService(world);
    const client = new ApiClient(world.url, world.admin);
    const pages = await dashboardPages(client, { slug: INFERENCE.slug, annotator: 'ada' });
    return {
      address: world.url,
      pages: shownPages([...pages, ...seededPages(seed)]),
      tokens: { administrator: world.admin, annotator: seed.tokens['ada']!, owner: seed.tokens['mira']! },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
