import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { axeViolations, goTo, type TestBrowser } from '../../factories/services/browser.js';
import type { Dashboard } from './dashboard.js';

const PAGES = ['users', 'queues', 'evaluators', 'sandboxes', 'storage', 'audit'];

export function adminSuite(dashboard: () => Dashboard): void {
  describe('the administration pages', () => {
    let world: ApiWorld;
    let browser: TestBrowser;

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      for (const name of ['anton', 'bob']) await world.user(name);
    }, 600_000);

    it('make somebody an administrator after asking, and keep in the audit who did it', async () => {
      const page = await browser.page({ session: world.admin });
      await goTo(page, '/');
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('menuitem', { name: 'Administration' }).click();
      const bob = page.getByRole('rowheader', { name: /^bob/ });
      await bob.waitFor();
      await page.getByLabel('Name or address').fill('anton@');
      await page.waitForURL((url) => url.searchParams.get('query') === 'anton@');
      await bob.waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Change anton' }).click();
      await page.getByRole('menuitem', { name: 'Make administrator' }).click();
      const question = page.getByRole('dialog', { name: 'Make anton an administrator?' });
      await question.getByRole('button', { name: 'Make administrator' }).click();
      await page.getByText('anton is an administrator now.').waitFor();
      await page.getByRole('row', { name: /^anton.*administrator/ }).waitFor();

      await page.getByRole('link', { name: 'Audit' }).click();
      await page.getByLabel('What was done').selectOption({ label: 'Role changed' });
      const entry = page.getByRole('row', { name: /admin Role changed anton/ });
      await entry.waitFor();
      expect(await entry.innerText()).toMatch(/role: user →.*administrator/s);
      await page.waitForURL((url) => url.searchParams.get('action') === 'account.role');
    });

    it('block somebody, and let them in again', async () => {
      const page = await browser.page({ session: world.admin });
      await goTo(page, '/admin/users');
      const signIn = async () => {
        const body = { email: 'bob@example.org', password: 'bob-has-a-password' };
        return (await world.call('POST', '/auth/login', { body })).status;
      };
      await page.getByRole('button', { name: 'Change bob' }).click();
      await page.getByRole('menuitem', { name: 'Block' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
      await page.getByText('bob is blocked.').waitFor();
      expect(await signIn()).toBe(403);

      await page.getByRole('button', { name: 'Change bob' }).click();
      await page.getByRole('menuitem', { name: 'Unblock' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
      await page.getByText('bob is unblocked.').waitFor();
      expect(await signIn()).toBe(200);
    });

    it('show an evaluator that came, when asked again', async () => {
      const page = await browser.page({ session: world.admin });
      await goTo(page, '/admin/evaluators');
      await page.getByRole('heading', { name: 'east' }).waitFor();
      expect(await page.getByRole('heading', { name: 'north' }).count()).toBe(0);
      await world.call('POST', '/evaluators', { token: world.admin, body: { name: 'north' } });
      await world.orm.em.fork().execute(`update evaluator set last_seen_at = now() where name = 'north'`);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('heading', { name: 'north' }).waitFor();
    });

    it('register an evaluator, whose token is shown once, and remove it', async () => {
      const page = await browser.page({ session: world.admin });
      // it counts as online for a minute after it was seen
      await world.orm.em.fork().execute(`update evaluator set last_seen_at = now() where name = 'gpu-1'`);
      await goTo(page, '/admin/evaluators');
      await page.getByRole('row', { name: /^gpu-1 everyone online 0\.1\.0 .*14/ }).waitFor();
      await page.getByRole('row', { name: /^from-next-year .*protocol 99 not supported/ }).waitFor();
      await page.getByLabel('Name of a new evaluator').fill('gpu-2');
      await page.getByRole('button', { name: 'Register evaluator' }).click();
      const panel = page.getByRole('status').filter({ hasText: 'shown only once' });
      const token = (await panel.locator('code').textContent())!;
      expect((await world.call('GET', '/evaluator', { token })).body).toMatchObject({ name: 'gpu-2', owner: null });
      await page.getByRole('row', { name: /^gpu-2 everyone new/ }).waitFor();
      expect(await axeViolations(page)).toEqual([]);

      await page.getByRole('button', { name: 'Remove gpu-2' }).click();
      const question = page.getByRole('dialog', { name: 'Remove gpu-2?' });
      await question.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove gpu-2' }).waitFor({ state: 'detached' });
      expect(await page.locator('main').textContent()).not.toContain(token);
      expect((await world.call('GET', '/evaluator', { token })).body.code).toBe('evaluator_removed');
    });

    it('are for administrators alone', async () => {
      const stranger = await browser.page();
      await stranger.goto('/admin/queues');
      await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(stranger.url()).searchParams.get('next')).toBe('/admin/queues');

      const page = await browser.page({ user: 'bob' });
      for (const path of PAGES) {
        await goTo(page, `/admin/${path}`);
        await page.getByRole('alert').filter({ hasText: 'Only administrators may do this.' }).waitFor();
      }
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Administration' }).count()).toBe(0);
    });

    it('wrote no error into the console, and asked no other host', () =>
      expect(browser.problems.splice(0)).toEqual([]));
  });
}
