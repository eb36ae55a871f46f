import type { OverviewView } from '@assay/contracts/annotating';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { goTo, type TestBrowser } from '../../factories/services/browser.js';
import type { Dashboard } from './dashboard.js';

export function pagesSuite(dashboard: () => Dashboard): void {
  describe('home, the pages of a task, and the help', () => {
    let world: ApiWorld;
    let browser: TestBrowser;

    beforeAll(() => {
      ({ world, browser } = dashboard());
    });

    const opened = async (path: string, user?: string): Promise<Page> => {
      const page = await browser.page(user === undefined ? {} : { user });
      await goTo(page, path);
      return page;
    };

    it('shows at home what the API says of every task', async () => {
      const { items } = (await world.call('GET', '/overview')).body as OverviewView;
      const task = items.find(({ task: slug }) => slug === 'tone');
      const page = await opened('/');
      const row = page.getByRole('row').filter({ hasText: 'Tone of reviews' }).first();
      await row.waitFor();
      const cells = await row.getByRole('cell').allInnerTexts();

      expect(cells[0]).toContain('round 4 is open');
      expect(cells[1]).toBe(String(task!.examples));
      const { value, low, high, pending } = task!.vmer;
      const margin = low === null ? '' : ` ± ${(((high! - low) / 2) * 100).toFixed(1)}`;
      expect(cells[2]!.replace(/\s+/g, ' ').trim()).toBe(
        `at least ${(value! * 100).toFixed(1)}${margin} · ${pending} pending`,
      );
      expect(cells[3]).toBe(String(task!.models));
      expect(cells[4]!.split(/\s+/)).toEqual(
        task!.leaders.flatMap(({ rank, model, dynascore }) => [String(rank), model.name, dynascore.toFixed(1)]),
      );

      await page.getByText('The same as a table').click();
      const saturation = page
        .getByRole('region', { name: 'Saturation by task' })
        .getByRole('row')
        .filter({ hasText: 'Tone' });
      await saturation.waitFor();
      expect((await saturation.getByRole('cell').allInnerTexts()).map((text) => text.trim())).toEqual([
        'accuracy',
        '68.6',
        '83.1',
        '95.0',
        '-0.45',
      ]);
      // the tooltip of a chart needs no inline style: the page's policy would block one
      const chart = page.locator('app-chart svg');
      const { width, height } = (await chart.boundingBox())!;
      // near the right end, which is today, where every line has a point
      await chart.hover({ position: { x: width - 20, y: height / 2 } });
      await chart.getByText('Tone of reviews').nth(1).waitFor();
    });

    it('explains a word where it stands, by pointer and by keyboard, and continues to the help', async () => {
      const page = await opened('/');
      const word = page.getByRole('button', { name: 'vMER' }).first();
      await word.focus();
      await page.getByText('the share that fooled the model', { exact: false }).first().waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.explanation').waitFor({ state: 'detached' });

      await word.hover();
      await page.getByRole('link', { name: 'More about it' }).click();
      await page.getByRole('heading', { name: 'vMER' }).waitFor();
      await page.waitForURL((url) => url.hash === '#vmer');
      const top = await page.locator('#vmer').evaluate((element) => element.getBoundingClientRect().top);
      expect(top).toBeGreaterThan(0);
      expect(top).toBeLessThan(200);
    });

    it('shows a task: who leads, its rounds along a line, and the trend with people', async () => {
      const page = await opened('/tasks/tone');
      const leaders = page.getByRole('region', { name: 'The first three' });
      await leaders.getByRole('link').last().waitFor();
      expect(await leaders.getByRole('link').allInnerTexts()).toEqual(['Late', 'Middle', 'Early']);
      // names are isolated so that a right-to-left name does not reorder the text around it
      expect(await page.evaluate("getComputedStyle(document.querySelector('main a')).unicodeBidi")).toBe('isolate');
      const rounds = page.getByRole('region', { name: 'Rounds over time' }).getByRole('listitem');
      await rounds.nth(3).waitFor();
      expect(await rounds.count()).toBe(4);
      expect((await rounds.nth(2).innerText()).replace(/\s+/g, ' ')).toMatch(
        /closed .*20 examples .*vMER % 30\.0 against/,
      );
      await page.locator('app-trend-section svg').waitFor();
      // reads the width before any observer can run: a chart that still has its old width must not
      // widen the page
      const width = await page
        .locator('app-trend-section .panel')
        .evaluate((panel: { style: { width: string }; scrollWidth: number }) => {
          panel.style.width = '200px';
          const { scrollWidth } = panel;
          panel.style.width = '';
          return scrollWidth;
        });
      expect(width).toBeLessThanOrEqual(200);
      await page.locator('app-trend-section summary').click();
      const people = page.getByRole('row').filter({ hasText: 'people' });
      expect(await people.innerText()).toContain('95.0');

      const tabs = page.getByRole('navigation', { name: 'Pages of the task' }).getByRole('link');
      await tabs.last().waitFor();
      expect(await tabs.allInnerTexts()).toEqual(['Overview', 'Leaderboard', 'Rounds', 'Annotate', 'Validate', 'Data']);
      const owners = await opened('/tasks/tone/rounds', 'owner');
      await owners.getByRole('link', { name: 'Settings' }).waitFor();
      expect(await owners.getByRole('link', { name: 'Rounds' }).getAttribute('aria-current')).toBe('page');
    });

    it('shows how far a round is, and to nobody but the owner which model was fooled before it is closed', async () => {
      const page = await opened('/tasks/tone/rounds/4');
      await page.getByText('10 of 25 examples').waitFor();
      await page.getByText('It closes by itself at 25 examples.').waitFor();
      await page.getByText('Figures by model are shown once the round is closed').waitFor();
      const byModel = (of: Page) => of.getByRole('region', { name: 'Error rates by model' });
      expect(await byModel(page).count()).toBe(0);

      const owners = await opened('/tasks/tone/rounds/4', 'owner');
      await byModel(owners).getByRole('link', { name: 'Middle' }).waitFor();
      const closed = await opened('/tasks/tone/rounds/3');
      await byModel(closed).getByRole('link', { name: 'Middle' }).waitFor();
      await closed.locator('summary').click();
      await closed.locator('app-markdown h1').first().waitFor();
    });

    it('lists the data with downloads of what may be read', async () => {
      const page = await opened('/tasks/tone/data');
      const rows = page.getByRole('region', { name: 'All datasets' }).getByRole('row');
      const download = rows.filter({ hasText: 'r1' }).getByRole('link', { name: 'JSON Lines' });
      const answer = await page.request.get((await download.getAttribute('href'))!);
      expect((await answer.text()).trim().split('\n')).toHaveLength(40);
      expect(await rows.filter({ hasText: 'r2' }).getByRole('link', { name: 'JSON Lines' }).count()).toBe(0);
    });

    it('says where there is no such task', async () => {
      const page = await opened('/tasks/nope/data');
      await page.getByRole('heading', { name: 'There is no such task' }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'you do not have access to it' }).waitFor();
    });

    it('wrote no error into the console, and asked no other host', () =>
      expect(browser.problems.splice(0)).toEqual([]));
  });
}
