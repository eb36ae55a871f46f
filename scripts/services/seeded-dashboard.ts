import { apiWorld } from '../../test/factories/worlds/api-world.js';
import { seededPages } from '../../test/factories/seeded/seeded-pages.js';
import { SEEDED_ENVIRONMENT, seedService } from '../../test/factories/seeded/seeded-service.js';
import { INFERENCE } from '../../test/factories/seeded/seeded-tasks.js';
import { build } from '../build.js';
import { ApiClient } from './api-client.js';
import { dashboardPages, type ShownPage, shownPages, type Viewer } from './dashboard-pages.js';
import { startTemporaryPostgres } from './embedded-postgres.js';

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
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startTemporaryPostgres());
  process.env['ASSAY_TEST_DATABASE_URL'] = postgres.url;
  process.env['ASSAY_TEST_APPLICATION_URL'] = postgres.applicationUrl;
  const world = await apiWorld(SEEDED_ENVIRONMENT);
  started.defer(() => world.close());
  const seed = await seedService(world);
  const client = new ApiClient(world.url, world.admin);
  const pages = await dashboardPages(client, INFERENCE.slug, 'ada');
  const shown = shownPages([...pages, ...seededPages(seed)]);
  const kept = started.move();
  return {
    address: world.url,
    pages: shown,
    tokens: { administrator: world.admin, annotator: seed.tokens['ada']!, owner: seed.tokens['mira']! },
    close: () => kept.disposeAsync(),
  };
}
