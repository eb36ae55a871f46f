import type { LeaderboardView } from '@assay/contracts/boards';
import type { Estimate } from '@assay/contracts/metrics';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Model } from '@assay/submissions';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import {
  axeViolationsInThemes,
  followTo,
  goTo,
  NO_VIOLATIONS,
  type TestBrowser,
} from '../../factories/services/browser.js';
import { publishBoard } from '../../factories/models/published-board.js';
import type { Dashboard } from './dashboard.js';

const SLUG = 'moods-of-sentences';
const TASK = {
  slug: SLUG,
  name: 'Moods of sentences',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  metrics: ['accuracy', 'macro_f1'],
  weights: { accuracy: 4, memory: 1 },
  aggregate: { minimumExamples: 2 },
  quota: { perDay: 50, total: 50 },
};
const DATASETS = ['first', 'second'];
/** Models whose memory grows with their accuracy: at its largest weight it outweighs the accuracy. */
const MODELS = Array.from({ length: 12 }, (_, n) => ({
  name: `Model ${n}`,
  accuracy: 0.6 + n / 40,
  memory: 0.001 * 2 ** (1.1 * n),
}));

const estimate = (value: number): Estimate => ({ value, low: value - 0.02, high: value + 0.02, standardError: 0.01 });
const examples = ['positive', 'negative', 'positive', 'negative'].map((label, n) => ({ id: n, text: `t${n}`, label }));

/** Creates a board with scored models, and a model that no evaluator has scored. */
async function plantBoard(world: ApiWorld): Promise<void> {
  const token = await world.user('bea');
  await world.call('POST', '/tasks', { token, body: TASK });
  for (const name of DATASETS) {
    const body = examples.map((each) => JSON.stringify(each)).join('\n');
    await world.call('PUT', `/tasks/${SLUG}/datasets/${name}?visibility=public`, {
      token,
      type: 'application/x-ndjson',
      body,
    });
  }
  for (const model of MODELS) await scoreModel(world, await submit(world, token, model.name), model);
  await submit(world, token, 'Still waiting');
  await publishBoard(world, SLUG);
}

async function submit(world: ApiWorld, token: string, name: string): Promise<string> {
  const { body } = await world.call('POST', `/tasks/${SLUG}/models`, { token, body: { name, kind: 'container' } });
  await world.call('PUT', `/models/${body.id}/artifact`, { token, body: name });
  return body.id as string;
}

async function scoreModel(world: ApiWorld, id: string, { accuracy, memory }: (typeof MODELS)[number]): Promise<void> {
  const em = world.orm.em.fork();
  const { specification } = await em.findOneOrFail(Model, id);
  const metrics = { accuracy: estimate(accuracy), macro_f1: estimate(accuracy - 0.05) };
  const measures = { cpu_time: 0.01, memory, throughput: 100, hardware: 'a machine' };
  for (const cell of await em.find(Evaluation, { specification: specification!.id, state: 'queued' })) {
    Object.assign(cell, { state: 'scored', metrics, measures, slices: {}, sliceSpreads: {}, finishedAt: new Date() });
  }
  await em.flush();
}

export function boardSuite(dashboard: () => Dashboard): void {
  describe('the leaderboard in a browser', () => {
    let world: ApiWorld;
    let browser: TestBrowser;

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      await plantBoard(world);
    });

    const open = async (query = '', options: Parameters<TestBrowser['page']>[0] = {}): Promise<Page> => {
      const page = await browser.page(options);
      await goTo(page, `/tasks/${SLUG}/leaderboard${query}`);
      await page.locator('[data-id] .interval, .card small').first().waitFor();
      return page;
    };
    const board = async (query: string): Promise<LeaderboardView> =>
      (await (await fetch(`${world.url}/api/v1/tasks/${SLUG}/leaderboard${query}`)).json()) as LeaderboardView;
    const namesOf = ({ rows }: LeaderboardView): string[] => rows.map(({ model }) => model.name);
    const shown = (page: Page): Promise<string[]> => page.locator('.ranked .who a').allInnerTexts();
    const row = (page: Page, name: string) =>
      page.locator('.ranked', { has: page.getByRole('link', { name, exact: true }) });
    /** Waits until the query of the URL contains this text. */
    const address = (page: Page, part: string) =>
      page.waitForURL((url) => decodeURIComponent(url.search).includes(part));

    it('re-ranks by a slider as the API says for the same weights, and whoever opens the link sees the same', async () => {
      const page = await open();
      expect(await shown(page)).toEqual(namesOf(await board('')));

      await page.locator('[data-metric=memory]').focus();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft');
      await address(page, 'weights=memory:9.9');
      await page.locator('.body:not(.updating)').waitFor();
      const expected = await board('?weights=memory:9.9');
      expect(expected.official).toBe(false);
      expect(namesOf(expected)).not.toEqual(namesOf(await board('')));
      expect(await shown(page)).toEqual(namesOf(expected));
      const [first] = expected.rows;
      await page.getByText('Custom weights.').waitFor();
      const cells = await row(page, first!.model.name).locator('.rank').innerText();
      expect(cells.replace(', interval', '').replaceAll(/\s+/g, ' ').trim()).toBe(
        `1 ${first!.rankLow}–${first!.rankHigh}`,
      );
      expect(await row(page, first!.model.name).locator('.official').innerText()).toContain(
        String(first!.officialRank),
      );
      expect(await page.locator('[aria-live=polite]', { hasText: `${first!.model.name} is first` }).count()).toBe(1);

      await page.getByRole('button', { name: 'Copy link' }).click();
      const link = await page.evaluate<string>('navigator.clipboard.readText()');
      const other = await browser.page();
      await other.goto(link);
      await other.locator('.ranked .interval').first().waitFor();
      expect(await shown(other)).toEqual(namesOf(expected));
      expect(await other.locator('[data-metric=memory]').inputValue()).toBe('9.9');

      await other.getByRole('button', { name: 'Reset' }).first().click();
      await other.waitForURL((url) => url.search === '');
      expect(await shown(other)).toEqual(namesOf(await board('')));
    });

    it('shows its charts below the window, also in a browser that is never idle', async () => {
      const page = await browser.page({ height: 400 });
      await goTo(page, '/sign-in');
      await page.evaluate(`
        requestIdleCallback = (callback, options) => (options?.timeout ? setTimeout(callback, options.timeout) : 0);`);
      await followTo(page, `/tasks/${SLUG}/leaderboard`);
      await page.locator('app-scatter-panel svg').waitFor({ state: 'attached' });
    });

    it('finds, filters and sorts without changing a rank', async () => {
      const page = await open();
      const [{ model: leader }] = (await board('')).rows as [LeaderboardView['rows'][number]];
      const rankOf = (name: string) => row(page, name).locator('.rank strong').innerText();
      expect(await rankOf(leader.name)).toBe('1');

      await page
        .getByRole('columnheader', { name: 'memory' })
        .getByRole('button', { name: 'memory', exact: true })
        .click();
      await address(page, 'sort=memory');
      expect((await shown(page))[0]).toBe('Model 0');
      expect(await page.locator('[aria-sort=ascending]').innerText()).toContain('memory');
      expect(await rankOf(leader.name)).toBe('1');

      await page.getByRole('searchbox', { name: 'Search models' }).fill('model 1');
      await address(page, 'q=model 1');
      expect(await shown(page)).toEqual(['Model 1', 'Model 10', 'Model 11']);
      await page.getByText('3 of 12 ranked models').waitFor();

      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('Kind').selectOption('onnx');
      await page.getByText('No model matches these filters.').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.waitForURL((url) => url.search === '?sort=memory');
      expect(await shown(page)).toHaveLength(MODELS.length);

      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('group', { name: 'second' }).getByLabel('accuracy').check();
      await address(page, 'accuracy@second');
      expect(await page.getByRole('columnheader', { name: 'second' }).innerText()).toContain('accuracy');
    });

    it('opens a row by keyboard alone, with its datasets, and names who has no rank and why', async () => {
      const page = await open();
      const [first, second] = namesOf(await board(''));
      await page.getByRole('button', { name: `Details of ${first}` }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const datasets = page.getByRole('region', { name: `Datasets of ${second}` });
      await datasets.waitFor();
      expect(await datasets.getByRole('rowheader').allInnerTexts()).toEqual(DATASETS);
      expect(await page.locator(':focus').getAttribute('aria-expanded')).toBe('true');

      await page.locator('summary', { hasText: 'still evaluating' }).click();
      await page.locator('app-unranked-models').getByRole('link', { name: 'Still waiting' }).waitFor();
      expect(await page.locator('app-unranked-models dt').first().innerText()).toMatch(/.+ first, second/);
    });

    it('is a list of cards on a phone, with the sliders in a sheet', async () => {
      const page = await open('', { width: 390, height: 844 });
      const expected = await board('?weights=memory:10');
      expect(await page.locator('.card .who a').first().innerText()).toBe(namesOf(await board(''))[0]);

      await page.getByRole('button', { name: 'Weights' }).click();
      await page.locator('dialog [data-metric=memory]').focus();
      await page.keyboard.press('End');
      await page.getByRole('button', { name: 'Show the ranks' }).click();
      await address(page, 'weights=memory:10');
      expect(await page.locator('.card .who a').allInnerTexts()).toEqual(namesOf(expected));
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBe(390);
    });

    it('breaks no rule of axe in either theme', async () => {
      const page = await open('?weights=memory:6');
      await page.locator('[data-control=open]').first().click();
      await page.getByRole('region', { name: /^Datasets of/ }).waitFor();
      await page.getByRole('button', { name: 'Columns' }).click();
      expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
      await page.getByRole('button', { name: 'Filter' }).click();
      expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator('.card small').first().waitFor();
      expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
      expect(browser.problems.splice(0)).toEqual([]);
    });
  });
}
