import { failure } from '@assay/contracts/models';
import { User } from '@assay/identity';
import { UserNotification } from '@assay/notifications';
import { WebhookDelivery } from '@assay/notifications/webhooks';
import { Model } from '@assay/submissions';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { axeViolations, goTo, type TestBrowser } from '../../factories/services/browser.js';
import type { Dashboard } from './dashboard.js';

const TASK = {
  slug: 'harm',
  name: 'Harm of sentences',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['harmless', 'harmful'] },
  performance: 'accuracy',
  collection: { validations: 1 },
};
export function meSuite(dashboard: () => Dashboard): void {
  describe('one’s own pages in the dashboard', () => {
    let world: ApiWorld;
    let browser: TestBrowser;
    let mia: string;
    let examples: AnnotationFactory;

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      const owner = await world.user('hanna');
      mia = await world.user('mia');
      await world.call('POST', '/tasks', { token: owner, body: TASK });
      examples = await annotationFactory(world.orm, 'harm');
      await examples.written({ by: 'mia', outcome: 'rejected', decidedAt: new Date(), input: { text: 'Go away.' } });
    }, 600_000);

    async function mine(part: string, user = 'mia'): Promise<Page> {
      const page = await browser.page({ user });
      await goTo(page, `/me/${part}`);
      return page;
    }

    it('makes a token whose secret is shown once, and revokes it', async () => {
      const page = await mine('tokens');
      await page.getByLabel('Name of a new token').fill('laptop');
      await page.getByRole('button', { name: 'Make a token' }).click();
      const panel = page.getByRole('status').filter({ hasText: 'shown this once' });
      const secret = (await panel.locator('code').textContent())!;
      expect((await world.call('GET', '/me', { token: secret })).body.username).toBe('mia');
      expect(await page.locator('.mat-form-field-invalid').count()).toBe(0);
      await panel.getByRole('button', { name: 'Copy' }).click();
      await panel.getByText('Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);

      await page.reload();
      await page.getByRole('button', { name: 'Revoke laptop' }).click();
      expect(await page.locator('main').textContent()).not.toContain(secret);
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await page.getByRole('button', { name: 'Revoke laptop' }).waitFor({ state: 'detached' });
      expect((await world.call('GET', '/me', { token: secret })).status).toBe(401);
    });

    it('registers an evaluator for tasks of one’s own, and says who cannot', async () => {
      const page = await mine('evaluators', 'hanna');
      await page.getByText('You have no registered evaluators.').waitFor();
      await page.getByLabel('Name of a new evaluator').fill('of-hanna');
      await page.getByRole('button', { name: 'Register evaluator' }).click();
      const token = (await page.getByRole('status').locator('code').textContent())!;
      expect((await world.call('GET', '/evaluator', { token })).body.owner).toBe('hanna');
      await page.getByRole('row', { name: /^of-hanna new/ }).waitFor();

      const refused = await mine('evaluators');
      await refused.getByLabel('Name of a new evaluator').fill('of-mia');
      await refused.getByRole('button', { name: 'Register evaluator' }).click();
      await refused.getByRole('alert').filter({ hasText: 'Create a task first.' }).waitFor();
    });

    it('makes a webhook whose secret is shown once, tries it, and says what was sent', async () => {
      const page = await mine('webhooks');
      await page.getByLabel('Address').fill('https://127.0.0.1/in');
      await page.getByLabel('A model of mine has all its scores').check();
      await page.getByLabel('A new board of my tasks is published').check();
      await page.getByRole('button', { name: 'Make a webhook' }).click();
      await page.getByRole('alert').getByText('not public').waitFor();
      await page.getByLabel('Address').fill('https://hooks.example.org/in');
      await page.getByRole('button', { name: 'Make a webhook' }).click();
      const panel = page.getByRole('status').filter({ hasText: 'shown this once' });
      expect(await panel.locator('code').textContent()).toMatch(/^whsec_/);
      expect(await page.locator('.mat-form-field-invalid').count()).toBe(0);

      const first = await panel.locator('code').textContent();
      await page.getByRole('button', { name: 'New secret for https://hooks.example.org/in' }).click();
      await page.getByRole('dialog').getByText('within a day').waitFor();
      await page.getByRole('button', { name: 'Make a new secret' }).click();
      await page.getByText('Signed with the old secret too, which ends in 24 hours').waitFor();
      const second = await panel.locator('code').textContent();
      expect([/^whsec_/.test(second!), second === first]).toEqual([true, false]);

      await page.getByRole('button', { name: 'Send a test' }).click();
      const sent = page.getByRole('region', { name: 'What was sent to https://hooks.example.org/in' });
      await sent.getByText('Test').waitFor();
      const em = world.orm.em.fork();
      const log = [
        { at: '2026-01-02T03:04:05Z', milliseconds: 12, status: 500, answer: '<b>no', problem: 'It answered 500.' },
      ];
      await em.nativeUpdate(WebhookDelivery, { kind: 'webhook.ping' }, { state: 'failed', attempts: 10, log });
      await page.getByRole('button', { name: 'Look again' }).click();
      await sent.getByText('It answered 500.').waitFor();
      await sent.getByText('Attempts').click();
      await sent.getByText('<b>no').waitFor();
      await sent.getByRole('button', { name: 'Send again' }).click();
      await sent.getByText('waits').waitFor();

      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('disabled by you').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Delete https://hooks.example.org/in' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('You have no webhooks').waitFor();
      expect((await world.call('GET', '/me/webhooks', { token: mia })).body.items).toEqual([]);
    });

    it('ends a session elsewhere, which then has to sign in again', async () => {
      await world.user('sid');
      const [other, page] = [await mine('badges', 'sid'), await mine('sessions', 'sid')];
      const before = page.getByRole('button', { name: 'End it' });
      await before.first().waitFor();
      const count = await before.count();
      await before.first().click();
      await before.nth(count - 1).waitFor({ state: 'detached' });

      await other.getByRole('link', { name: 'Tokens' }).click();
      await other.getByRole('dialog').getByLabel('Password').waitFor();
    });

    it('says why a model failed, and puts a scored one on the board', async () => {
      const made: string[] = [];
      for (const name of ['Broken', 'Quiet']) {
        const body = { name, kind: 'container', publish: false };
        made.push((await world.call('POST', '/tasks/harm/models', { token: mia, body })).body.id as string);
      }
      const reason = failure('out_of_memory', 'It used up 4 GiB of memory after 1,204 of 3,198 examples.');
      const em = world.orm.em.fork();
      await em.nativeUpdate(Model, made[0]!, { state: 'failed', failure: reason });
      await em.nativeUpdate(Model, made[1]!, { state: 'scored' });

      const page = await mine('models');
      const broken = page.getByRole('listitem').filter({ hasText: 'Broken' });
      expect(await broken.textContent()).toContain(reason.message);
      // the key of the task definition is shown as code
      expect(await broken.textContent()).toContain(reason.next.replaceAll('`', ''));
      expect(await broken.locator('code').first().textContent()).toBe('limits.memory');
      await page.getByRole('button', { name: 'Put it on the board' }).click();
      await page.getByRole('button', { name: 'Withdraw' }).waitFor();
      expect(await world.orm.em.fork().findOneOrFail(Model, made[1]!)).toMatchObject({ published: true });
    });

    it('appeals against the fate of an example', async () => {
      const page = await mine('examples?outcome=rejected');
      await page.getByText('Go away.').waitFor();
      await page.getByRole('button', { name: 'Appeal' }).click();
      await page.getByLabel('Why its fate is not right').fill('It is a joke among friends.');
      await page.getByRole('button', { name: 'Send the appeal' }).click();
      await page.getByText('You appealed').waitFor();

      const { body } = await world.call('GET', '/me/examples', { token: mia });
      expect(body.items).toMatchObject([{ appeal: { reason: 'It is a joke among friends.' } }]);
    });

    it('leads from a notification to what it is about, and turns kinds off', async () => {
      const em = world.orm.em.fork();
      const user = await em.findOneOrFail(User, { username: 'mia' });
      const data = { task: 'harm', round: 1 };
      em.create(UserNotification, { user, kind: 'round_opened', key: 'k', data, app: true, mail: false });
      await em.flush();

      const page = await mine('notifications');
      await page.getByLabel('A round opens where you take part: here').uncheck();
      await page.getByRole('link', { name: 'Round 1 of harm is open.' }).click();
      await page.waitForURL('**/tasks/harm/rounds/1');

      const settings = await world.call('GET', '/me/notification-settings', { token: mia });
      expect(settings.body.kinds.round_opened.app).toBe(false);
      expect((await world.call('GET', '/me/notifications', { token: mia })).body.unread).toBe(0);
    });

    it('changes what others see', async () => {
      const page = await mine('profile');
      await page.getByLabel('Name that is shown').fill('Mia L.');
      await page.getByLabel('my badges').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await world.call('GET', '/users/mia')).body).toMatchObject({ displayName: 'Mia L.', badges: [] });
    });

    it('deletes an account with the password and a choice for its texts', async () => {
      await world.user('leaving');
      const page = await mine('account', 'leaving');
      await page.getByRole('button', { name: 'Delete my account' }).click();
      await page.getByLabel('Remove the texts that I wrote').check();
      await page.getByRole('textbox', { name: 'Your password', exact: true }).fill('not it at all');
      await page.getByRole('button', { name: 'Delete it for good' }).click();
      await page.getByRole('alert').getByText('password').waitFor();
      await page.getByRole('textbox', { name: 'Your password', exact: true }).fill('leaving-has-a-password');
      await page.getByRole('button', { name: 'Delete it for good' }).click();
      await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
      await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
      expect((await world.call('GET', '/users/leaving')).status).toBe(404);
    });
  });
}
