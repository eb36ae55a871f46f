import { afterAll, afterEach, beforeAll, describe, it } from '@jest/globals';
import { freePort } from '../../scripts/services/free-port.js';
import { apiWorld, type ApiWorld } from '../factories/worlds/api-world.js';
import { goTo, TestBrowser } from '../factories/services/browser.js';
import { CLIENT, testProvider, type TestProvider } from '../factories/services/openid-provider.js';
import { SEEDED_ENVIRONMENT, seedService } from '../factories/seeded/seeded-service.js';
import { accessSuite } from './dashboard/access.suite.js';
import { accountSuite } from './dashboard/account.suite.js';
import { adminSuite } from './dashboard/admin.suite.js';
import { annotateSuite } from './dashboard/annotate.suite.js';
import { boardSuite } from './dashboard/board.suite.js';
import { crowdSuite } from './dashboard/crowd.suite.js';
import type { Dashboard } from './dashboard/dashboard.js';
import { meSuite } from './dashboard/me.suite.js';
import { modelSuite } from './dashboard/model.suite.js';
import { ownerSuite } from './dashboard/owner.suite.js';
import { pagesSuite } from './dashboard/pages.suite.js';
import { shellSuite } from './dashboard/shell.suite.js';
import { statesSuite } from './dashboard/states.suite.js';

/** All suites share one API and one browser: starting them takes longer than most suites. */
describe('the dashboard', () => {
  let world: ApiWorld;
  let browser: TestBrowser;
  let provider: TestProvider;

  beforeAll(async () => {
    const port = await freePort('127.0.0.1');
    const publicUrl = `http://127.0.0.1:${port}`;
    provider = await testProvider(`${publicUrl}/api/v1/auth/provider/callback`);
    world = await apiWorld({
      ...SEEDED_ENVIRONMENT,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      ASSAY_OIDC_ISSUER: provider.issuer,
      ASSAY_OIDC_CLIENT_ID: CLIENT.id,
      ASSAY_OIDC_CLIENT_SECRET: CLIENT.secret,
      ASSAY_OIDC_NAME: 'The institute',
    });
    browser = await TestBrowser.open(world.url, [provider.issuer]);
  }, 600_000);
  // a page that stays open continues to send requests
  afterEach(() => browser.releasePages());
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await provider?.close();
  });

  describe('of a new service', () => {
    it('gives the first steps while there is no task', async () => {
      const page = await browser.page();
      await goTo(page, '/');
      await page.getByText('There is no task yet.').waitFor();
      await page.getByRole('link', { name: 'Register' }).waitFor();
    });

    it('says that no evaluator is there', async () => {
      const page = await browser.page({ session: world.admin });
      await goTo(page, '/admin/evaluators');
      await page.getByText('No evaluator is there').waitFor();
    });
  });

  describe('of a seeded service', () => {
    let dashboard: Dashboard;
    const seeded = (): Dashboard => dashboard;

    beforeAll(async () => {
      dashboard = { world, browser, provider, seed: await seedService(world) };
    }, 600_000);

    statesSuite(seeded);
    pagesSuite(seeded);
    boardSuite(seeded);
    modelSuite(seeded);
    annotateSuite(seeded);
    ownerSuite(seeded);
    meSuite(seeded);
    adminSuite(seeded);
    shellSuite(seeded);
    crowdSuite(seeded);
    accessSuite(seeded);
    accountSuite(seeded);
  });
});
