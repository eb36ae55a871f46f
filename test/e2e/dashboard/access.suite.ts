import { beforeAll, describe, expect, it } from '@jest/globals';
import { type DashboardPage, dashboardPages } from '../../../scripts/services/dashboard-pages.js';
import { ApiClient } from '../../../scripts/services/api-client.js';
import { axeViolations, followTo, goTo, SHOWN_RULES, type TestBrowser } from '../../factories/services/browser.js';
import { seededPages } from '../../factories/seeded/seeded-pages.js';
import { INFERENCE } from '../../factories/seeded/seeded-tasks.js';
import type { Dashboard } from './dashboard.js';

const tasks = (part: string, ...slugs: readonly string[]): string[] => slugs.map((slug) => `${slug}-${part}`);

/**
 * Pages that are left out because another tested page has the same component in the same state,
 * with other words. `npm run shots` tests them as well.
 */
const LIKE_OTHERS = [
  // `leaderboard-open-row` shows the board too
  'leaderboard',
  ...tasks('overview', 'headlines', 'one-model', 'reading', 'translation', 'essay-grades'),
  ...tasks('board', 'headlines', 'one-model', 'reading', 'translation', 'essay-grades', 'topics', 'reviews'),
  'sarcasm-by-accuracy',
  'dialogue-acts-data',
  'a-slug-that-is-about-as-long-as-slugs-go-rounds',
  'tone-round-open',
  ...['model_exited', 'never_ready', 'unknown_label'].map((code) => `failed-${code}`),
];

/**
 * Pages that are loaded by their URL. The others are reached by navigation within the document,
 * which takes half the processor time.
 */
const LOADED = ['help', 'sign-in', 'leaderboard-open-row'];

/** The narrowest phone window, in CSS pixels. */
const NARROW = { width: 360, height: 844 } as const;
const WIDE = { width: 1440, height: 900 } as const;

export function accessSuite(dashboard: () => Dashboard): void {
  describe('every page', () => {
    let browser: TestBrowser;
    let pages: readonly DashboardPage[];
    let tokens: Readonly<Record<NonNullable<DashboardPage['as']>, string>>;

    beforeAll(async () => {
      const { world, seed } = dashboard();
      ({ browser } = dashboard());
      tokens = { administrator: world.admin, annotator: seed.tokens['ada']! };
      const client = new ApiClient(world.url, world.admin);
      const all = await dashboardPages(client, INFERENCE.slug, 'ada');
      const seeded = [...all, ...seededPages(seed)];
      pages = seeded.filter(({ name }) => !LIKE_OTHERS.includes(name));
      expect(pages).toHaveLength(seeded.length - LIKE_OTHERS.length);
    });

    it.each(['nobody', 'annotator', 'administrator'] as const)(
      'that %s sees has no violation of axe, light or dark, and fits in a narrow window',
      async (as) => {
        const session = as === 'nobody' ? {} : { session: tokens[as] };
        const page = await browser.page({ ...WIDE, ...session });
        const found: object[] = [];
        let isOpen = false;
        for (const { name, path } of pages.filter((each) => (each.as ?? 'nobody') === as)) {
          await page.setViewportSize(WIDE);
          await page.emulateMedia({ colorScheme: 'light' });
          await (isOpen && !LOADED.includes(name) ? followTo : goTo)(page, path);
          isOpen = true;
          const light = await axeViolations(page);
          await page.emulateMedia({ colorScheme: 'dark' });
          await page.setViewportSize(NARROW);
          const widerBy = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          // right-to-left text overflows to the left, which does not make a page wider
          const leftmost = await page.evaluate<number>(
            `Math.min(0, ...[...document.querySelectorAll('main *')].map((each) => Math.ceil(each.getBoundingClientRect().left)))`,
          );
          const dark = await axeViolations(page, SHOWN_RULES);
          if (light.length > 0 || dark.length > 0 || widerBy > 0 || leftmost < 0)
            found.push({ name, light, widerBy, leftmost, dark });
        }
        expect(found).toEqual([]);
      },
      300_000,
    );

    it('wrote no error into the console, and asked no other host', () =>
      expect(browser.problems.splice(0)).toEqual([]));
  });
}
