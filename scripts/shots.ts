import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { axeViolations, goTo, type ShownTheme, TestBrowser, THEMES } from '../test/factories/browser.js';
import { commandLine } from './command-line.js';
import { project } from './command.js';
import { ApiClient } from './services/api-client.js';
import { type DashboardPage, dashboardPages } from './services/dashboard-pages.js';

const usage = `Usage: npm run shots [-- NAME…]

Takes a picture of every page of the dashboard, or of those that are named, with the data of the Assay that runs here
(scripts/up): in both themes, 1440 and 390 px wide, into dist/shots. Says what axe finds on a page, what it writes into
the console, and which is wider than its window; the exit code is 1 if there is any of these.

Environment: ASSAY_URL (http://localhost:8080), ASSAY_HOME (.assay), TASK (sentiment).`;

const WIDTHS = [1440, 390] as const;
const HEIGHTS = { 1440: 900, 390: 844 } as const;

const { positionals } = commandLine(usage, {});
const address = (process.env['ASSAY_URL'] ?? 'http://localhost:8080').replace(/\/$/, '');
const home = resolve(process.env['ASSAY_HOME'] ?? '.assay');
const directory = join(project, 'dist/shots');

const tokens = { administrator: tokenIn('admin-token'), annotator: tokenIn('example-emil-token') };
const pages = await dashboardPages(new ApiClient(address, tokens.administrator), process.env['TASK'] ?? 'sentiment');
const wanted = pages.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
mkdirSync(directory, { recursive: true });

const browser = await TestBrowser.open(address);
let found = 0;
for (const page of wanted) for (const theme of THEMES) for (const width of WIDTHS) await take(page, theme, width);
await browser.close();
console.log(`${wanted.length * 4} pictures in ${directory}; ${found} problems.`);
process.exitCode = found > 0 ? 1 : 0;

async function take(shown: DashboardPage, theme: ShownTheme, width: (typeof WIDTHS)[number]): Promise<void> {
  const page = await browser.page({
    theme,
    width,
    height: HEIGHTS[width],
    ...(shown.as && { session: tokens[shown.as] }),
  });
  const title = `${shown.name} (${theme}, ${width})`;
  try {
    await goTo(page, shown.path);
    await page.waitForLoadState('networkidle');
    for (const { rule, help, nodes } of await axeViolations(page))
      tell(title, `${rule}: ${help}\n    ${nodes.join('\n    ')}`);
    const scroll = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (scroll > width) tell(title, `is ${scroll} px wide`);
    await page.screenshot({ path: join(directory, `${shown.name}-${theme}-${width}.png`), fullPage: true });
  } catch (error) {
    tell(title, (error as Error).message);
  }
  for (const problem of browser.problems.splice(0)) tell(title, problem);
  await page.context().close();
}

function tell(title: string, problem: string): void {
  found += 1;
  console.log(`${title}: ${problem}`);
}

function tokenIn(name: string): string {
  return readFileSync(join(home, name), 'utf8').trim();
}
