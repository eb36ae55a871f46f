import { randomBytes } from 'node:crypto';
import { Round, Task } from '@assay/tasks';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { axeViolations, goTo, type TestBrowser } from '../../factories/services/browser.js';
import type { TestProvider } from '../../factories/services/openid-provider.js';
import type { Dashboard } from './dashboard.js';

const KIB = 1024;
const ELSEWHERE = 'http://127.0.0.1:9';
/** Markdown that tries to attack its reader. */
const HOSTILE = [
  '# A task',
  `[pay](javascript:document.title='ran') <a href="javascript:document.title='ran'" onclick="document.title='ran'">x</a>`,
  `![a](${ELSEWHERE}/pixel.png) <img src=x onerror="document.title='ran'"> <video src="${ELSEWHERE}/v" autoplay></video>`,
  `<svg onload="document.title='ran'"><script>document.title='ran'</script></svg>`,
  `<table background="${ELSEWHERE}/b"><tr><td>cell</td></tr></table>`,
  `<style>body { background: url(${ELSEWHERE}/s) }</style><link rel="stylesheet" href="${ELSEWHERE}/l">`,
  `<iframe src="${ELSEWHERE}/f"></iframe><object data="${ELSEWHERE}/o"></object><base href="${ELSEWHERE}/">`,
  `<form id="body" action="${ELSEWHERE}"><input name="title"><button>Sign in again</button></form>`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}"><script>document.title='ran'</script>`,
  '[out](https://elsewhere.example/paper)',
  'The end.',
].join('\n\n');
const TASK = {
  slug: 'markdown',
  name: 'Markdown of strangers',
  description: HOSTILE,
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['good', 'bad'] },
  performance: 'accuracy',
  quota: { perDay: 100, total: 100 },
};

export function accountSuite(dashboard: () => Dashboard): void {
  describe('an account in the dashboard', () => {
    let world: ApiWorld;
    let provider: TestProvider;
    let browser: TestBrowser;
    let owner: string;

    beforeAll(async () => {
      ({ world, browser, provider } = dashboard());
      owner = await world.user('markus');
      await world.call('POST', '/tasks', { token: owner, body: TASK });
    }, 600_000);

    /** Makes the provider sign in this person from now on. */
    function comes(name: string): void {
      provider.people.set(name, { email: `${name}@institute.example`, email_verified: true });
      provider.current = name;
    }
    const menu = (page: Page) => page.getByRole('button', { name: 'Your account' });

    it('is made by a sign-in at a provider, under a name that they choose, and opened by the next', async () => {
      comes('newcomer');
      const page = await browser.page();
      await goTo(page, '/sign-in?next=%2Fme%2Faccount');
      await page.getByRole('link', { name: 'Sign in with The institute' }).click();
      await page.getByText('You are newcomer@institute.example.').waitFor();
      await page.waitForURL((url) => url.pathname === '/sign-in/username');
      expect(await axeViolations(page)).toEqual([]);
      const name = page.getByLabel('User name');
      await name.fill('not a name');
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.getByText('beginning with a letter or digit').waitFor();
      await name.fill('markus');
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.getByRole('alert').filter({ hasText: 'already exists' }).waitFor();
      await name.fill('newcomer');
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.getByText('You sign in by').waitFor();
      await page.waitForURL((url) => url.pathname === '/me/account');

      await menu(page).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Sign in with The institute' }).click();
      await menu(page).waitFor();
      expect((await page.request.get('/api/v1/me').then((answer) => answer.json())) as object).toMatchObject({
        username: 'newcomer',
        hasPassword: false,
      });
    });

    it('is asked for with the reason, made on the spot, and leads back to the page', async () => {
      const page = await browser.page();
      await goTo(page, '/tasks/markdown/submit');
      await page.getByText('To submit a model you need an account').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('link', { name: 'Create account' }).click();
      await page.getByText('To submit a model you need an account').waitFor();
      await page.getByLabel('User name').fill('visitor');
      await page.getByLabel('Mail address').fill('visitor@example.org');
      await page.getByLabel('Password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.waitForURL((url) => url.pathname === '/tasks/markdown/submit');
    });

    it('keeps the only way into it, and gives up the provider once there is a password', async () => {
      comes('leaver');
      const page = await browser.page();
      await goTo(page, '/sign-in?next=%2Fme%2Faccount');
      await page.getByRole('link', { name: 'Sign in with The institute' }).click();
      await page.getByLabel('User name').fill('leaver');
      await page.getByRole('button', { name: 'Create the account' }).click();
      const unlink = async () => {
        await page.getByRole('button', { name: 'No longer sign in by' }).click();
        await page.getByRole('button', { name: 'End it' }).click();
      };
      await unlink();
      await page.getByText('This is the only way to sign in to your account').waitFor();

      await page.getByLabel('New password').fill('four words of leaver');
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByText('It is changed.').waitFor();
      await page.reload();
      await page.getByLabel('Your password here').fill('four words of leaver');
      await unlink();
      await page.getByText('Link your account at The institute').waitFor();
    });

    describe('with storage', () => {
      /**
       * Registers a user with a storage limit.
       * @returns The user's token.
       */
      const limited = async (name: string): Promise<string> => {
        const token = await world.user(name);
        const { id } = (await world.call('GET', '/me', { token })).body;
        const body = { storageLimit: '100KiB' };
        expect((await world.call('PATCH', `/admin/users/${id}`, { token: world.admin, body })).status).toBe(200);
        return token;
      };
      const put = async (token: string, name: string, kibibytes: number) => {
        const { id } = (await world.call('POST', '/tasks/markdown/models', { token, body: { name, kind: 'onnx' } }))
          .body;
        await world.call('PUT', `/models/${id}/artifact`, { token, body: randomBytes(kibibytes * KIB) });
        await world.call('POST', `/models/${id}/cancel`, { token });
        return id as string;
      };

      it('shows what takes room, the largest first, and gives it back', async () => {
        const token = await limited('keeper');
        await put(token, 'Small', 10);
        await put(token, 'Large', 50);
        const body = { name: 'Coming', kind: 'onnx' };
        const { id } = (await world.call('POST', '/tasks/markdown/models', { token, body })).body;
        const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(30 * KIB) };
        await world.call('POST', `/models/${id}/upload`, { token, headers });

        const page = await browser.page({ user: 'keeper' });
        await goTo(page, '/me/storage');
        await page.getByText('You keep 90.0 KiB of 100 KiB.').waitFor();
        const rows = page.getByRole('region', { name: 'What takes room' }).getByRole('row');
        const names = async () =>
          (await rows.getByRole('rowheader').allInnerTexts()).map((text) => text.split('\n')[0]);
        expect(await names()).toEqual(['Large', 'Coming', 'Small']);

        await rows.filter({ hasText: 'Large' }).getByRole('button', { name: 'Remove the bytes' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove the bytes' }).click();
        await page.getByText('50.0 KiB are free again.').waitFor();
        await rows.filter({ hasText: 'Coming' }).getByRole('button', { name: 'Stop it' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click();
        await page.getByText('30.0 KiB are free again.').waitFor();
        await page.getByText('You keep 10.0 KiB of 100 KiB.').waitFor();
        expect(await names()).toEqual(['Small']);
        await rows.getByRole('link', { name: 'Small' }).click();
        await page.getByRole('heading', { name: 'Small' }).waitFor();
      });

      it('gets as much of it as an administrator says', async () => {
        await limited('asker');
        const page = await browser.page({ session: world.admin });
        await goTo(page, '/admin/users?query=asker');
        await page.getByRole('button', { name: 'Change asker' }).click();
        await page.getByRole('menuitem', { name: 'Storage' }).click();
        await page.getByText('Together they may take 100 KiB.').waitFor();
        await page.getByLabel('What they may take').fill('much');
        await page.getByRole('button', { name: 'Set it' }).click();
        await page.getByText('A number with a unit').waitFor();
        await page.getByLabel('What they may take').fill('2 MiB');
        await page.getByRole('button', { name: 'Set it' }).click();
        await page.getByText('The storage of asker is set.').waitFor();

        const asker = await browser.page({ user: 'asker' });
        await goTo(asker, '/me/storage');
        await asker.getByText('of 2.00 MiB.').waitFor();
      });
    });

    it('reads what strangers write in Markdown without anything of it running or being fetched', async () => {
      const em = world.orm.em.fork();
      const task = await em.findOneOrFail(Task, { slug: 'markdown' });
      const settings = { turn: {}, conditions: [], shares: { train: 0.8, dev: 0.1, test: 0.1 } };
      const opened = { state: 'open' as const, imported: false, openedAt: new Date(), description: HOSTILE, settings };
      em.create(Round, { task, number: 1, ...opened });
      await em.flush();
      const body = { name: 'Sly', kind: 'onnx', card: HOSTILE, publish: false };
      const { id } = (await world.call('POST', '/tasks/markdown/models', { token: owner, body })).body;
      await world.call('PATCH', '/me/profile', { token: owner, body: { bio: HOSTILE } });

      const page = await browser.page({ user: 'markus' });
      for (const path of [
        '/tasks/markdown',
        '/tasks/markdown/rounds/1',
        `/tasks/markdown/models/${id}`,
        '/users/markus',
      ]) {
        await goTo(page, path);
        const shown = page.locator('app-markdown').filter({ hasText: 'The end.' }).first();
        await shown.waitFor();
        expect([path, await shown.locator('h1, td, a').allInnerTexts()]).toEqual([
          path,
          expect.arrayContaining(['A task', 'cell', 'out']),
        ]);
        const links = shown.getByRole('link');
        expect(await links.evaluateAll((all) => all.map((each) => each.outerHTML))).toEqual([
          '<a href="https://elsewhere.example/paper" rel="nofollow noopener noreferrer ugc" target="_blank">out</a>',
        ]);
        expect(await page.title()).not.toContain('ran');
      }
      // the sanitiser parses these in an inert document, where nothing runs; the browser still
      // reports them as violations of the page's policy
      const isMet = (problem: string) =>
        /inline event handler|Applying inline style|the document's base URI/.test(problem);
      expect(browser.problems.splice(0).filter((problem) => !isMet(problem))).toEqual([]);
    });

    it('wrote no error into the console, and asked no other host', () =>
      expect(browser.problems.splice(0)).toEqual([]));
  });
}
