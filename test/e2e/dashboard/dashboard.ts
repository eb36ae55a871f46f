import type { ApiWorld } from '../../factories/api-world.js';
import type { TestBrowser } from '../../factories/browser.js';
import type { TestProvider } from '../../factories/openid-provider.js';
import type { SeededService } from '../../factories/seeded/seeded-service.js';

/** The seeded service that all suites of the dashboard share, with one browser. A suite that changes something has tasks and users of its own. */
export interface Dashboard {
  readonly world: ApiWorld;
  readonly browser: TestBrowser;
  readonly seed: SeededService;
  /** People of the institute sign in here. */
  readonly provider: TestProvider;
}
