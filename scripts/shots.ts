import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { axeViolations, goTo, TestBrowser, THEMES } from '../test/factories/services/browser.js';
import { commandLine } from './command-line.js';
import { ApiClient } from './services/api-client.js';
import { dashboardPages, type ShownPage, type Viewer } from './services/dashboard-pages.js';
import { PageActivity } from './services/page-activity.js';
import { seededDashboard, type ShownDashboard } from './services/seeded-dashboard.js';

const usage = `Usage: npm run shots [-- [--to FOLDER] [--running] [NAME…]]

Takes screenshots of the dashboard, or of the named pages: each page for everybody to whom it looks different, in both
themes, 1440 and 390 px wide. Starts a service of its own that is seeded with fifteen tasks. Reports what axe finds on a
page, what the page writes into the console, and which page is wider than its window. The exit code is 1 if there is any
of these.

  --to FOLDER  where the pictures go (default: assay-shots in the folder for temporary files)
  --running    the service that runs on this machine instead (scripts/up)

Environment for --running: ASSAY_URL (http://localhost:8080), ASSAY_HOME (.assay), TASK (sentiment).`;

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Maximum height of a window, in CSS pixels. */
const TALLEST = 8_000;

const { values, positionals } = commandLine(usage, { running: { type: 'boolean' }, to: { type: 'string' } });
const directory = resolve(values.to ?? join(tmpdir(), 'assay-shots'));
mkdirSync(directory, { recursive: true });

const service = values.running ? await runningDashboard() : await seededDashboard();
const failed = new Set<string>();
let pictures = 0;
try {
  const names = service.pages.map(({ name }) => name);
  const unknown = positionals.filter((wanted) => !names.includes(wanted));
  if (unknown.length > 0) throw new Error(`Unknown page: ${unknown.join(', ')}. Pages: ${names.join(', ')}`);
  const wanted = service.pages.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const browser = await TestBrowser.open(service.address);
  try {
    for (const viewer of ['visitor', 'annotator', 'owner', 'administrator'] as const)
      await show(
        browser,
        viewer,
        wanted.filter(({ viewers }) => viewers.includes(viewer)),
      );
  } finally {
    await browser.close();
  }
} finally {
  await service.close();
}
console.log(`${pictures} pictures in ${directory}.`);
if (failed.size > 0) console.log(`Pages with problems: ${[...failed].join(', ')}.`);
process.exit(failed.size > 0 ? 1 : 0);

/** Takes the screenshots of all pages for a viewer. */
async function show(browser: TestBrowser, viewer: Viewer, pages: readonly ShownPage[]): Promise<void> {
  if (pages.length === 0) return;
  const page = await browser.page(viewer === 'visitor' ? {} : { session: service.tokens[viewer] });
  const activity = new PageActivity(page);
  for (const shown of pages) {
    const name = `${shown.name}.${viewer}`;
    const problems = await take(page, activity, shown.path, name).catch((error: unknown) => [(error as Error).message]);
    problems.push(...browser.problems.splice(0));
    console.log(problems.length === 0 ? name : `${name}:\n  ${problems.join('\n  ')}`);
    if (problems.length > 0) failed.add(name);
  }
  await page.context().close();
}

/**
 * Opens a page once and takes its four screenshots.
 *
 * @returns the problems of the page
 */
async function take(page: Page, activity: PageActivity, path: string, name: string): Promise<string[]> {
  const problems: string[] = [];
  await page.setViewportSize(SIZES[0]);
  await goTo(page, path);
  for (const size of SIZES)
    for (const theme of THEMES) {
      const title = `${name}-${size.width}-${theme}`;
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      await activity.settled();
      for (const { rule, help, nodes } of await axeViolations(page))
        problems.push(`${title}: ${rule}: ${help}\n    ${nodes.join('\n    ')}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > size.width) problems.push(`${title} is ${width} px wide`);
      // a board only has its visible rows in the DOM
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      await page.setViewportSize({ width: size.width, height: Math.min(height, TALLEST) });
      await activity.settled();
      await page.screenshot({ path: join(directory, `${title}.png`), fullPage: true });
      pictures += 1;
    }
  return problems;
}

/** Returns the running service of the demonstration, with the users that it has created. */
async function runningDashboard(): Promise<ShownDashboard> {
  const address = (process.env['ASSAY_URL'] ?? 'http://localhost:8080').replace(/\/$/, '');
  const home = resolve(process.env['ASSAY_HOME'] ?? '.assay');
  const tokenIn = (name: string): string => readFileSync(join(home, name), 'utf8').trim();
  const [administrator, annotator] = [tokenIn('admin-token'), tokenIn('example-emil-token')];
  const client = new ApiClient(address, administrator);
  const pages = await dashboardPages(client, process.env['TASK'] ?? 'sentiment', 'example-ada');
  return {
    address,
    pages: pages.map(({ name, path, as }) => ({ name, path, viewers: [as ?? 'visitor'] })),
    tokens: { administrator, annotator, owner: administrator },
    close: () => Promise.resolve(),
  };
}
