import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { goTo, type TestBrowser } from '../../factories/services/browser.js';
import { expectGuardedPage } from '../../factories/services/page-policy.js';
import type { Dashboard } from './dashboard.js';

export function shellSuite(dashboard: () => Dashboard): void {
  describe('the frame of the dashboard', () => {
    let world: ApiWorld;
    let browser: TestBrowser;

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      await world.user('sophie');
    }, 600_000);

    it('signs in, stays signed in after a reload, and signs out', async () => {
      const page = await browser.page();
      await goTo(page, '/sign-in');
      await page.getByLabel('Mail address').fill('sophie@example.org');
      await page.getByLabel('Password').fill('not her password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();

      await page.getByLabel('Password').fill('sophie-has-a-password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: 'Your account' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
    });

    it('lets a browser keep every part of the program for a year', async () => {
      const parts = readdirSync(join(import.meta.dirname, '../../../dist/dashboard/browser')).filter((name) =>
        /^(chunk|main|polyfills|styles)-.+\.(js|css)$/.test(name),
      );
      const cached = await Promise.all(
        parts.map(async (name) => (await fetch(`${world.url}/${name}`)).headers.get('cache-control')),
      );
      expect(parts.length).toBeGreaterThan(10);
      expect(parts.filter((_, index) => !cached[index]?.includes('immutable'))).toEqual([]);
    });

    it('lets the administrator in by the token that the first start has made', async () => {
      const page = await browser.page();
      await goTo(page, '/sign-in');
      await page.getByRole('button', { name: 'With a token' }).click();
      await page.getByLabel('Token').fill('assay_of-nobody');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('You cannot sign in with this token').waitFor();

      await page.getByLabel('Token').fill(world.admin);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: 'Your account' }).waitFor();
    });

    it('registers, and continues to where one wanted to go', async () => {
      const page = await browser.page();
      await goTo(page, '/register?next=%2Fnowhere');
      await page.getByLabel('User name').fill('grace');
      await page.getByLabel('Mail address').fill('grace@example.org');
      await page.getByLabel('Password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await page.waitForURL((url) => url.pathname === '/nowhere');
    });

    it('keeps the chosen theme, against the system’s', async () => {
      const page = await browser.page({ theme: 'light' });
      await goTo(page, '/');
      const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(await background()).toBe('rgb(250, 249, 246)');

      await page.getByRole('button', { name: 'Theme' }).click();
      await page.getByRole('menuitem', { name: 'Dark' }).click();
      expect(await background()).toBe('rgb(20, 20, 19)');
      await page.reload();
      expect(await background()).toBe('rgb(20, 20, 19)');
    });

    it.each([
      ['/', 'attributes', "'none'"],
      ['/sign-in?next=//elsewhere.example', 'attributes', "'none'"],
      ['/tasks/none?<script>alert(1)</script>', 'attributes', "'none'"],
      ['/embed/tasks/none/leaderboard', 'none', '*'],
      ['/embedded', 'attributes', "'none'"],
    ] as const)(
      'has at %s a page as its build left it, that runs nothing of its own text, has of styles in it at most %s and is framed by %s',
      (path, inlineStyles, ancestors) => expectGuardedPage(world.url + path, { inlineStyles, ancestors }),
    );

    it.each([
      ['script', 'window.ran = true', 'script-src-elem'],
      ['style', 'body { outline: 7px solid red }', 'style-src-elem'],
    ])('lets no inline %s do anything', async (name, text, directive) => {
      const page = await browser.page();
      await goTo(page, '/');
      const broken = await page.evaluate(`new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective));
        setTimeout(() => resolve('nothing'), 3000);
        const element = document.createElement('${name}');
        element.textContent = '${text}';
        document.head.append(element);
      })`);
      expect(broken).toBe(directive);
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(await page.evaluate('getComputedStyle(document.body).outlineWidth')).not.toBe('7px');
      browser.problems.splice(0);
    });

    it('answers for what does not exist as the API does, not with its page', async () => {
      expect((await world.call('GET', '/nothing')).body).toMatchObject({ code: 'not_found', status: 404 });
      expect((await fetch(`${world.url}/missing-ABCDEFGH.js`)).status).toBe(404);
      const { headers } = await fetch(`${world.url}/favicon.svg`, { headers: { 'accept-encoding': 'br' } });
      expect(headers.get('content-encoding')).toBe('br');
    });

    it('wrote no error into the console, and asked no other host', () =>
      expect(browser.problems.splice(0)).toEqual([]));
  });
}
