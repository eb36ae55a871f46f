import { failure } from '@assay/contracts/models';
import { notifyModels } from '@assay/evaluation';
import { Run } from '@assay/evaluation/runs';
import { Model } from '@assay/submissions';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import {
  axeViolations,
  axeViolationsInThemes,
  goTo,
  NO_VIOLATIONS,
  type TestBrowser,
} from '../../factories/services/browser.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { answersWhere, SENTIMENT_TASK, sentimentLines } from '../../factories/models/sentiment-task.js';
import type { Dashboard } from './dashboard.js';

const VOICES = {
  ...SENTIMENT_TASK,
  slug: 'voices',
  name: 'Voices',
  metrics: ['accuracy', 'ece'],
  aggregate: { minimumExamples: 50 },
};
const N = 80;

/** Formats a ratio as the page does: percent with one decimal. */
const percent = (ratio: number): string => (ratio * 100).toFixed(1);

export function modelSuite(dashboard: () => Dashboard): void {
  describe('the pages of a model and of a comparison', () => {
    let world: ApiWorld;
    let browser: TestBrowser;
    let max: string;
    let good: string;
    let poor: string;

    const change = async (id: string, more: Partial<Pick<Model, 'state' | 'failure'>>): Promise<Model> => {
      const em = world.orm.em.fork();
      const model = await em.findOneOrFail(Model, id, { populate: ['task', 'specification'] });
      Object.assign(model, more);
      await em.flush();
      return model;
    };
    const logged = async (id: string, log: string): Promise<void> => {
      const em = world.orm.em.fork();
      const { specification, task, owner } = await em.findOneOrFail(Model, id, { populate: ['task', 'specification'] });
      const deadline = new Date(Date.now() + 60_000);
      const run = {
        specification: specification!.id,
        task,
        owner,
        stage: 'evaluation',
        state: 'done',
        deadline,
      } as const;
      em.create(Run, { ...run, log, logSeen: [] });
      await em.flush();
    };
    const submitted = async (name: string, isRight: (index: number) => boolean): Promise<string> => {
      const id = await scoredModel(world, { slug: 'voices', name, token: max, answer: answersWhere(isRight) });
      await change(id, { state: 'scored' });
      return id;
    };
    const cells = (page: Page, region: string) => page.getByRole('region', { name: region }).getByRole('row');

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      const owner = await world.user('marta');
      max = await world.user('max');
      await world.user('moritz');
      await world.call('POST', '/tasks', { token: owner, body: VOICES });
      for (const [name, visibility] of [
        ['open', 'public'],
        ['secret', 'hidden'],
      ] as const) {
        await world.call('PUT', `/tasks/voices/datasets/${name}?visibility=${visibility}`, {
          token: owner,
          type: 'application/x-ndjson',
          body: sentimentLines(name, { count: N, web: 60 }),
        });
      }
      // Good is wrong on 4 examples, all of print; Poor is wrong on every second example
      good = await submitted('Good', (index) => index < 76);
      poor = await submitted('Poor', (index) => index % 2 > 0);
      await logged(good, Array.from({ length: 150 }, (_, line) => `line ${line}`).join('\n'));
    }, 600_000);

    it('shows the results of a model as the API has them, and its errors by slice', async () => {
      const page = await browser.page();
      await goTo(page, `/tasks/voices/models/${good}`);
      const { body } = await world.call('GET', `/models/${good}`);
      const { accuracy } = body.evaluations[0].metrics;
      const first = cells(page, 'Results by dataset').filter({ hasText: 'open' });
      await first.getByText(percent(accuracy.value)).waitFor();
      expect(accuracy.value).toBeCloseTo(0.95);

      await page.getByText('4 of 80 examples').waitFor();
      await page.getByLabel('Slice').selectOption('source:web');
      await page.getByText('No example fits').waitFor();
      await page.getByLabel('Slice').selectOption('source:print');
      await page.getByText('4 of 80 examples').waitFor();
      expect(await cells(page, 'Examples with the answers of the model').count()).toBe(1 + 4);
      await page.waitForURL((url) => url.searchParams.get('slice') === 'source:print');

      await page.getByLabel('Dataset', { exact: true }).selectOption({ label: 'secret' });
      await page.getByRole('link', { name: 'Its errors' }).click();
      await page.getByText('The examples of secret are hidden').waitFor();
    });

    it('leads from a cell of the confusion matrix to its examples', async () => {
      const page = await browser.page();
      await goTo(page, `/tasks/voices/models/${poor}?dataset=open&view=labels`);
      await page.getByRole('link', { name: 'positive answered negative: 40, 100.0% of the row' }).click();
      await page.getByText('40 of 80 examples').waitFor();
      await page.waitForURL(
        ({ searchParams }) => searchParams.get('label') === 'positive' && searchParams.get('answer') === 'negative',
      );
    });

    it('shows the log to the owner of a model and to nobody else', async () => {
      const owned = await browser.page({ user: 'max' });
      await goTo(owned, `/tasks/voices/models/${good}`);
      const log = owned.getByRole('region', { name: 'Log', exact: true });
      await log.waitFor();
      const shown = (await log.innerText()).trim().split('\n');
      expect([shown.length, shown[0], shown.at(-1)]).toEqual([100, 'line 50', 'line 149']);
      await owned.getByRole('button', { name: 'More' }).waitFor();

      const other = await browser.page({ user: 'moritz' });
      await goTo(other, `/tasks/voices/models/${good}`);
      await other.getByText('4 of 80 examples').waitFor();
      expect(await other.getByText('Its log').count()).toBe(0);
      expect(await other.getByRole('button', { name: 'More' }).count()).toBe(0);
    });

    it('asks before a model is withdrawn, and says what will happen', async () => {
      const id = await submitted('Fleeting', (index) => index > 9);
      const page = await browser.page({ user: 'max' });
      await goTo(page, `/tasks/voices/models/${id}`);
      const open = async () => {
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name: 'Withdraw' }).click();
        await page.getByText('It leaves the board, the loop and every open round').waitFor();
      };
      await open();
      await page.getByRole('button', { name: 'Leave it as it is' }).click();
      await open();
      await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
      await page.getByText('Its owner took it off the board').waitFor();
      expect((await world.call('GET', `/models/${id}`, { token: max })).body.withdrawn).toBe(true);
    });

    it('follows an evaluation as it is reported, until it has ended', async () => {
      const id = await scoredModel(world, { slug: 'voices', name: 'Live', token: max, answer: () => undefined });
      const model = await change(id, { state: 'running' });
      const page = await browser.page({ user: 'max' });
      await goTo(page, `/tasks/voices/models/${id}`);
      await page.getByText('It runs in a sandbox without a network').waitFor();
      const scope = { task: model.task.id, specification: model.specification!.id };
      const progress = { type: 'progress', dataset: 'open', done: 20, total: N, examplesPerSecond: 2 } as const;
      // repeats the event until the page shows it: the page may not be listening yet
      const told = setInterval(() => void notifyModels(world.orm.em.fork(), { ...scope, event: progress }), 100);
      try {
        await page.locator('li[data-dataset=open]').getByText('20 of 80').waitFor();
      } finally {
        clearInterval(told);
      }
      expect(await page.locator('li[data-dataset=open]').innerText()).toMatch(/2\.00 examples\/s, 30 s left/);

      const reason = failure('model_exited', 'After 20 of 80 examples, it exited with code 9.');
      await change(id, { state: 'failed', failure: reason });
      await logged(id, 'cannot allocate tensor');
      await notifyModels(world.orm.em.fork(), { ...scope, event: { type: 'state', state: 'failed' } });
      await page.getByRole('heading', { name: 'The model exited (model error)' }).waitFor();
      await page.getByText('After 20 of 80 examples, it exited with code 9.').waitFor();
      await page.getByText('It counts as one submission of the quota').waitFor();
      await page.getByRole('button', { name: 'Log, last 100 lines' }).click();
      await page.getByText('cannot allocate tensor').waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it('compares two models from the tray, with the figures of the API', async () => {
      const page = await browser.page();
      for (const id of [good, poor]) {
        await goTo(page, `/tasks/voices/models/${id}`);
        await page.getByRole('button', { name: 'Add to compare' }).click();
      }
      await page.getByRole('link', { name: 'Compare 2' }).click();
      await page.getByText('Good is better on all 2 sets.').waitFor();

      const { body } = await world.call('GET', `/tasks/voices/compare?a=${good}&b=${poor}`);
      for (const { dataset, metrics } of body.datasets) {
        const { a, b, difference } = metrics.accuracy;
        const row = await page.locator(`tr[data-dataset=${dataset as string}]`).innerText();
        for (const figure of [percent(a.value), percent(b.value), `+${percent(difference.value)}`]) {
          expect(row).toContain(figure);
        }
        expect(row).toContain(percent((difference.high - difference.low) / 2));
      }

      const told = await world.call('GET', `/tasks/voices/compare/examples?a=${good}&b=${poor}&dataset=open`);
      const { counts } = told.body;
      expect(counts).toEqual({ a: 38, b: 2, bothRight: 38, bothWrong: 2 });
      await page.getByText('Only Good is right on 38, only Poor on 2; both are right on 38, neither on 2.').waitFor();
      await page.getByLabel('Right is').selectOption({ label: 'Poor alone' });
      await page.getByText('text 77 of open').waitFor();
      expect(await cells(page, 'Examples with both answers').count()).toBe(1 + 2);
    });

    it('sets more than two against each other, each two', async () => {
      const page = await browser.page();
      await goTo(page, `/tasks/voices/compare?models=${good},${poor}`);
      await page.getByText('Good is better on all 2 sets.').waitFor();
      const third = await submitted('Third', (index) => index % 2 === 0);
      await page.reload();
      await page.getByRole('combobox', { name: 'Add a model by name' }).fill('thi');
      await page.getByRole('option', { name: /Third/ }).click();
      await page.getByText('Good is better than each of the others.').waitFor();
      const { body } = await world.call('GET', `/tasks/voices/compare?models=${good},${poor},${third}`);
      const pair = body.pairs.find(({ b }: { readonly b: string }) => b === third);
      const row = cells(page, 'Each two of the models').filter({ has: page.getByRole('rowheader', { name: 'Good' }) });
      expect(await row.innerText()).toContain(`+${percent(pair.difference.value)}`);
    });

    it('breaks no rule of axe in either theme', async () => {
      const page = await browser.page({ user: 'max' });
      for (const view of ['examples', 'slices', 'labels', 'confidence']) {
        await goTo(page, `/tasks/voices/models/${good}?dataset=open&view=${view}`);
        await page.locator('app-dataset-closer :is(table, app-chart svg)').first().waitFor();
        expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
      }
      await goTo(page, `/tasks/voices/compare?models=${good},${poor}`);
      await page.getByText('Only Good is right on 38').waitFor();
      expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
      expect(browser.problems.splice(0)).toEqual([]);
    });
  });
}
