import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { SESSION_COOKIE } from '../../../apps/api/src/auth/session-cookie.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const THEMES = ['light', 'dark'] as const;
export type ShownTheme = (typeof THEMES)[number];

export interface PageOptions {
  /** The signed-in user: a name that `user` of the world registered. Default: nobody. */
  readonly user?: string;
  /** The secret of a session or token, instead of `user`. */
  readonly session?: string;
  readonly theme?: ShownTheme;
  readonly width?: number;
  readonly height?: number;
}

/** A violation of an axe rule, with the affected nodes. */
export interface AxeViolation {
  readonly rule: string;
  readonly help: string;
  readonly nodes: readonly string[];
}

/** Starts Debian's Chromium without a window. There is no GPU: software draws the pages. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', '--disable-gpu'] });

/**
 * Debian's Chromium for a service at `url`. Pages that are open at the same time share neither
 * cookies nor storage.
 */
export class TestBrowser {
  /**
   * Unwanted events on any page: console errors, exceptions, violations of the content security
   * policy, and requests to other hosts.
   */
  readonly problems: string[] = [];

  private readonly origins: readonly string[];
  private readonly opened: Page[] = [];
  private readonly idle: Page[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly url: string,
    others: readonly string[],
  ) {
    this.origins = [url, ...others].map((each) => new URL(each).origin);
  }

  /** @param others The URLs of other services that pages may contact. */
  static async open(url: string, others: readonly string[] = []): Promise<TestBrowser> {
    return new TestBrowser(await startChromium(), url, others);
  }

  /**
   * Returns a page without motion, cookies or stored data, not yet at a URL of the dashboard. It
   * may be a released one whose process has already compiled the dashboard's scripts: a load in a
   * new process takes two to four times the processor time.
   */
  async page(options: PageOptions = {}): Promise<Page> {
    const { theme = 'light', width = 1440, height = 900 } = options;
    const page = this.idle.pop() ?? (await this.newPage());
    this.opened.push(page);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    if (options.user !== undefined) await signIn(page.context(), options.user);
    if (options.session !== undefined) {
      await page.context().addCookies([{ name: SESSION_COOKIE, value: options.session, url: this.url }]);
    }
    this.watch(page);
    return page;
  }

  /**
   * Stops the activity of all pages opened since the last call and removes their cookies and stored
   * data, so that `page` can reuse them.
   */
  async releasePages(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((page) => this.release(page)));
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private async newPage(): Promise<Page> {
    const context = await this.browser.newContext({
      baseURL: this.url,
      locale: 'en-GB',
      timezoneId: 'UTC',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // a busy machine takes three times as long as an idle one
    context.setDefaultTimeout(60_000);
    return context.newPage();
  }

  private async release(page: Page): Promise<void> {
    if (page.isClosed()) return;
    page.removeAllListeners();
    // a document of the same origin without scripts: keeps the process and gives access to the
    // storage
    await page.goto('/favicon.svg');
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await page.mouse.move(0, 0);
    await page.context().clearCookies();
    this.idle.push(page);
  }

  private watch(page: Page): void {
    const tell = (what: string): void => void this.problems.push(`${page.url()}: ${what}`);
    page.on('pageerror', (error) => tell(error.message));
    page.on('console', (message) => {
      // the page handles a 4xx response of the API itself, but the browser logs every one
      const isRefusal = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
      if (message.type() === 'error' && !isRefusal) tell(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (!this.origins.includes(origin) && !['data:', 'blob:'].includes(protocol)) tell(`asks ${request.url()}`);
    });
  }
}

/** Signs in a user whom `user(name)` of a world has registered, without the form. */
export async function signIn(context: BrowserContext, name: string): Promise<void> {
  const data = { email: `${name}@example.org`, password: `${name}-has-a-password` };
  // the API may close a connection that was idle at the moment it is used again
  const answer = await context.request.post('/api/v1/auth/login', { data, maxRetries: 1 });
  if (!answer.ok()) throw new Error(`${name} can't sign in: ${answer.status()} ${await answer.text()}`);
}

/** The axe rules whose result depends on the colours of a page. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'] as const;
/** The axe rules whose result depends on the colours or the width of a page. */
export const SHOWN_RULES = [
  ...COLOUR_RULES,
  'scrollable-region-focusable',
  'target-size',
  'heading-order',
  'button-name',
  'link-name',
] as const;

/**
 * Returns the violations of WCAG 2.2 A and AA, and of axe's best practices, in the page's current
 * state.
 */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<readonly AxeViolation[]> {
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return page.evaluate<readonly AxeViolation[]>(`(async () => {
    const { violations } = await axe.run(document, ${JSON.stringify(options)});
    return violations.map(({ id, help, nodes }) => ({
      rule: id, help, nodes: nodes.map(({ target, failureSummary }) => target.join(' ') + ': ' + failureSummary),
    }));
  })()`);
}

/**
 * Returns the violations in both themes: of all rules in the light theme, of the colour rules in
 * the dark one. Leaves the page in the light theme.
 */
export async function axeViolationsInThemes(
  page: Page,
): Promise<Readonly<Record<ShownTheme, readonly AxeViolation[]>>> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await axeViolations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axeViolations(page, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  return { light, dark };
}

/** The result of `axeViolationsInThemes` for a page without violations. */
export const NO_VIOLATIONS = { light: [], dark: [] } as const;

/** Opens a path of the dashboard and waits until its content is loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path);
  // the content security policy blocks `waitForFunction`
  await page.locator('main:not(:has(app-skeleton)) :is(h1, [role=alert])').first().waitFor({ state: 'attached' });
}

/**
 * Navigates within the single-page application: the document stays, and all components are created
 * again.
 */
export async function followTo(page: Page, path: string): Promise<void> {
  // goes through another page, because a component that both paths share would be reused
  for (const each of ['/help', path]) {
    await page.evaluate(`
      document.querySelectorAll('main *').forEach((each) => each.setAttribute('data-left', ''));
      history.pushState(null, '', ${JSON.stringify(each)});
      dispatchEvent(new PopStateEvent('popstate'));`);
    const shown = page.locator('main:not(:has(app-skeleton)) :is(h1, [role=alert]):not([data-left])').first();
    await shown.waitFor({ state: 'attached' }).catch(async (error: unknown) => {
      const main = await page.locator('main').innerHTML();
      throw new Error(`${each} shows nothing new at ${page.url()}: ${main.slice(0, 2000)}`, { cause: error });
    });
  }
}
