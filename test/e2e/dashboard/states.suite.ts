import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { goTo, type TestBrowser } from '../../factories/services/browser.js';
import { EMPTY, INFERENCE, ONE_MODEL, SARCASM } from '../../factories/seeded/seeded-tasks.js';
import type { Dashboard } from './dashboard.js';

/** The maximum number of API requests for the home page, regardless of the number of tasks. */
const MOST_REQUESTS = 6;
const BAR = 48;

export function statesSuite(dashboard: () => Dashboard): void {
  describe('a service with tasks in every state', () => {
    let browser: TestBrowser;
    let inference: readonly string[];

    beforeAll(() => {
      const { seed } = dashboard();
      ({ browser } = dashboard());
      inference = seed.inference;
    });

    async function opened(
      path: string,
      size: { readonly width?: number; readonly height?: number } = {},
    ): Promise<Page> {
      const page = await browser.page(size);
      await goTo(page, path);
      return page;
    }
    const boxOf = async (of: Locator) => (await of.boundingBox())!;

    it.each([1440, 390])('says on one line at home that a task has no ranked model, at %d px', async (width) => {
      const page = await opened('/', { width });
      const task = page.locator(width > 720 ? 'tr' : 'li.panel').filter({ hasText: EMPTY.name });
      const { height } = await boxOf(task.getByText('No ranked models yet'));
      expect(height).toBeLessThan(30);
    });

    it('reads the home page in a few requests, none of which fails because a task has no board', async () => {
      const page = await browser.page();
      const answers: string[] = [];
      page.on('response', (answer) => {
        if (answer.url().includes('/api/v1/')) answers.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
      });
      await goTo(page, '/');
      await page.locator('app-saturation-section svg').waitFor();
      await page.waitForLoadState('networkidle');
      expect(answers.filter((answer) => !answer.startsWith('200') && !answer.endsWith('/me'))).toEqual([]);
      expect(answers.length).toBeLessThanOrEqual(MOST_REQUESTS);
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.locator('app-saturation-section summary').click();
      const region = page.getByRole('region', { name: 'Saturation by task' });
      await region.getByRole('link', { name: INFERENCE.name }).waitFor();
      expect(await region.getByRole('link', { name: EMPTY.name }).count()).toBe(0);
    });

    it('lists scored predictions without a rank where costs weigh, and ranks them by accuracy alone with one click', async () => {
      const page = await opened(`/tasks/${SARCASM.slug}/leaderboard`);
      await page.getByText('5 models are scored but have no costs').waitFor();
      const names = await page.locator('.unranked .who a').allInnerTexts();
      expect(names).toEqual(['Majority of five', 'gpt answers', 'Logistic', 'Emoji rules', 'Coin']);
      await page.getByRole('status').getByText('5 unranked models').waitFor();
      const main = await page.locator('main').innerText();
      expect(main).not.toMatch(/no_models|filters|Score\s+0\.0/);
      expect(await page.locator('.charts, app-chart').count()).toBe(0);
      const shares = await page
        .locator('[data-metric]')
        .evaluateAll((sliders) => sliders.map((slider) => slider.getAttribute('aria-valuetext')));
      expect(shares.slice(0, 3)).toEqual(['66.7%', '16.7%', '16.7%']);

      await page.getByRole('button', { name: 'Rank them by accuracy alone' }).click();
      await page.waitForURL((url) =>
        /^(memory|cpu_time):0,(memory|cpu_time):0$/.test(url.searchParams.get('weights') ?? ''),
      );
      await page.locator('.ranked').nth(4).waitFor();
      expect(await page.locator('.ranked .who a').allInnerTexts()).toEqual(names);
      expect(await page.locator('.ranked .rank strong').allInnerTexts()).toEqual(['1', '2', '3', '4', '5']);
      expect(await page.locator('.unranked').count()).toBe(0);
      expect(await page.getByText('are scored but have no').count()).toBe(0);
    });

    it('lists them as cards on a phone', async () => {
      const page = await opened(`/tasks/${SARCASM.slug}/leaderboard`, { width: 390, height: 844 });
      await page.getByText('5 models are scored but have no costs').waitFor();
      await page.locator('.card.unranked').nth(4).waitFor();
      expect(await page.locator('.card .rank').first().innerText()).toBe('No rank');
    });

    it('says that filters leave no model over only where there are filters', async () => {
      const page = await opened(`/tasks/${ONE_MODEL.slug}/leaderboard?kind=onnx`);
      await page.getByText('No model matches these filters.').waitFor();
    });

    it('scrolls the whole page of a board, with its header in sight and no row under another', async () => {
      const page = await opened(`/tasks/${INFERENCE.slug}/leaderboard`, { height: 560 });
      const rows = page.locator('.ranked');
      await rows.first().waitFor();
      const inner = await page.evaluate(`[...document.querySelectorAll('app-board-table *')].filter((each) =>
        each.scrollHeight > each.clientHeight + 1 && ['auto', 'scroll'].includes(getComputedStyle(each).overflowY)).length`);
      expect(inner).toBe(0);
      const reference = page.locator('app-reference-rows .line').first();
      await reference.scrollIntoViewIfNeeded();
      const header = await boxOf(page.locator('app-board-table .head'));
      expect(header.y).toBe(BAR);
      const last = page.locator('[data-id]', { hasText: 'word overlap' });
      const [row, below] = [await boxOf(last), await boxOf(reference)];
      expect(row.y + row.height).toBeLessThanOrEqual(below.y + 0.5);
      expect(row.y).toBeGreaterThanOrEqual(header.y + header.height);
    });

    it('shows all of an open row: no table of it is cut off', async () => {
      const page = await opened(`/tasks/${INFERENCE.slug}/leaderboard?open=${inference[1]!}`);
      const details = page.locator('app-row-details');
      const tables = details.getByRole('region');
      await tables.nth(1).waitFor();
      const panel = await boxOf(page.locator('app-board-table .frame'));
      for (const table of await tables.all()) {
        const { x, width } = await boxOf(table);
        expect(x + width).toBeLessThanOrEqual(panel.x + panel.width);
        expect(await table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0);
      }
      const datasets = details.getByRole('region', { name: /^Datasets of/ });
      expect(await datasets.getByRole('rowheader').count()).toBe(4);
      const index = Number(await page.locator('.item.open').getAttribute('data-index'));
      const [inside, next] = [await boxOf(details), await boxOf(page.locator(`[data-index="${index + 1}"]`))];
      expect(inside.y + inside.height).toBeLessThanOrEqual(next.y + 0.5);
    });

    it('wrote no error into the console, and asked no other host', () =>
      expect(browser.problems.splice(0)).toEqual([]));
  });
}
