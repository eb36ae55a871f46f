import type { ApiWorld } from '../../factories/worlds/api-world.js';
import type { TestBrowser } from '../../factories/services/browser.js';
import type { TestProvider } from '../../factories/services/openid-provider.js';
import type { SeededService } from '../../factories/seeded/seeded-service.js';

/**
 * The seeded service and the browser that all suites of the dashboard share. A suite that changes
 * something creates its own tasks and users.
 */
export interface Dashboard {
  readonly world: ApiWorld;
  readonly browser: TestBrowser;
  readonly seed: SeededService;
  /** The OpenID provider for sign-in. */
  readonly provider: TestProvider;
}
