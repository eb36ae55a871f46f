import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../factories/services/browser.js';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import { emptyBoard } from './board.bench.js';
import { figure, inTurn, median, range } from './samples.js';
import { ScoredModels } from './scored-models.js';

/** The number of arrow-key presses on a slider. */
const PRESSES = 30;

/** The leaderboard of many models in a browser, by the browser's own metrics. */
export const dashboardBench: Bench = {
  name: 'dashboard',
  async run(context) {
    const service = await context.service();
    const task = await emptyBoard(context, service);
    const board = await ScoredModels.open(service.world, task);
    try {
      await board.add(context.quick ? 500 : 10_000);
      // there is already a revision from before the models
      const before = await board.revision();
      await board.stale();
      while ((await board.revision()) === before) await sleep(50);
      // the first read of the board is not part of the measurement
      await service.world.expect(200, 'GET', `/tasks/${task}/leaderboard?limit=200`, {});
      return await boardInBrowser(context, `${service.world.url}/tasks/${task}/leaderboard`);
    } finally {
      await board.close();
    }
  },
};

/**
 * The measurements of one visit: milliseconds since the start of navigation, and transferred bytes.
 */
interface Visit {
  readonly interactive: number;
  readonly slider: readonly number[];
  readonly shift: number;
  readonly code: number;
  readonly fonts: number;
  readonly data: number;
}

export async function boardInBrowser(context: BenchContext, address: string): Promise<BenchRow[]> {
  const browser = await startChromium();
  const visits: Visit[] = [];
  try {
    await visit(browser, address);
    await inTurn(context, context.rounds ?? (context.quick ? 1 : 5), 'ms until interactive', {
      visit: async () => {
        visits.push(await visit(browser, address));
        return visits.at(-1)!.interactive;
      },
    });
  } finally {
    await browser.close();
  }
  return rowsOf(visits);
}

function rowsOf(visits: readonly Visit[]): BenchRow[] {
  const interactive = visits.map((each) => each.interactive);
  const slider = visits.flatMap((each) => each.slider);
  const shift = visits.map((each) => each.shift);
  const { code, fonts, data } = visits[0]!;
  const ordered = [...slider].sort((a, b) => a - b);
  const late = ordered[Math.floor(ordered.length * 0.95)]!;
  return [
    {
      what: 'the board of 10,000 models in a browser without a cache: rows and sliders there, and nothing that keeps them from answering',
      goal: '≤ 2 s',
      measured: `${figure(median(interactive) / 1000)} s (${range(interactive.map((each) => each / 1000))})`,
      reached: median(interactive) <= 2000,
    },
    {
      what: 'a key on a slider → the rows in their new order painted (Event Timing, in steps of 8 ms): p95',
      goal: '≤ 50 ms',
      measured: `${figure(late)} ms (median ${figure(median(slider))}, ${range(slider)})`,
      reached: late <= 50,
    },
    {
      what: 'shift of the layout while it is read',
      goal: '≤ 0.05',
      measured: `${figure(median(shift))} (${range(shift)})`,
      reached: median(shift) <= 0.05,
    },
    {
      what: 'what is sent until then: scripts and styles; fonts; figures of the models',
      goal: '≤ 300 kB',
      measured: [code, fonts, data].map((bytes) => `${figure(bytes / 1000)} kB`).join('; '),
      reached: code <= 300_000,
    },
  ];
}

/** The script that collects the browser's performance entries from the start of the page. */
const WATCH = `
  window.measured = { shift: 0, busyUntil: 0, ready: 0, slider: [] };
  const watch = (type, take, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) measured.shift += entry.value; });
  watch('longtask', (entry) => { measured.busyUntil = entry.startTime + entry.duration; });
  watch('event', (entry) => {
    if (entry.name === 'keydown' && entry.target?.type === 'range') measured.slider.push(entry.duration);
  }, { durationThreshold: 16 });
  new MutationObserver(() => {
    if (measured.ready || !document.querySelector('[data-index="0"]') || !document.querySelector('[data-metric]')) return;
    measured.ready = 1;
    requestAnimationFrame(() => setTimeout(() => { measured.ready = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
`;

async function visit(browser: Browser, address: string): Promise<Visit> {
  const browsing = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  try {
    browsing.setDefaultTimeout(120_000);
    const page = await browsing.newPage();
    await page.addInitScript(WATCH);
    await page.goto(address);
    await page.locator('.ranked .interval').first().waitFor();
    await page.waitForLoadState('networkidle');
    const { ready, busyUntil } = await page.evaluate<{ ready: number; busyUntil: number }>('measured');
    const sent = (await page.evaluate<Sent[]>(SENT)).filter(({ at }) => at < ready);
    const slider = await moveSlider(page);
    const shift = await page.evaluate<number>('measured.shift');
    const bytes = (isOf: (each: Sent) => boolean): number => sent.filter(isOf).reduce((sum, { size }) => sum + size, 0);
    return {
      ...{ interactive: Math.max(ready, busyUntil), slider, shift },
      code: bytes(({ name }) => /\.(js|css)$/.test(name)),
      fonts: bytes(({ name }) => name.endsWith('.woff2')),
      data: bytes(({ name }) => name.includes('/matrix')),
    };
  } finally {
    await browsing.close();
  }
}

interface Sent {
  readonly name: string;
  readonly size: number;
  /**
   * The start time of the request. Requests after the page is interactive, for example for charts,
   * do not belong to the initial load.
   */
  readonly at: number;
}

const SENT = `performance
  .getEntriesByType('resource')
  .map(({ name, encodedBodySize: size, startTime: at }) => ({ name, size, at }))`;

/** Moves the slider of the memory weight up, key by key. Each press is painted before the next. */
async function moveSlider(page: Page): Promise<readonly number[]> {
  await page.locator('[data-metric=memory]').focus();
  for (let press = 0; press < PRESSES; press++) {
    await page.keyboard.press('ArrowRight');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  }
  // presses below the browser's reporting threshold took at most 16 ms
  const reported = await page.evaluate<number[]>('measured.slider');
  return [...reported, ...Array.from({ length: Math.max(0, PRESSES - reported.length) }, () => 16)];
}
