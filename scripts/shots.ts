import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { axeViolations, goTo, type ShownTheme, TestBrowser, THEMES } from '../test/factories/browser.js';
import { commandLine } from './command-line.js';
import { project } from './command.js';
import { ApiClient } from './services/api-client.js';
import { type DashboardPage, dashboardPages } from './services/dashboard-pages.js';
import { seededDashboard, type ShownDashboard } from './services/seeded-dashboard.js';

const usage = `Usage: npm run shots [-- [--running] [NAME…]]

Takes a picture of every page of the dashboard, or of the named pages, in both themes, 1440 and 390 px wide, into dist/shots.
Starts a service of its own that is seeded with fifteen tasks. Reports what axe finds on a page, what the page writes into
the console, and which page is wider than its window; the exit code is 1 if there is any of these.

  --running  the service that runs on this machine instead (scripts/up)

Environment for --running: ASSAY_URL (http://localhost:8080), ASSAY_HOME (.assay), TASK (sentiment).`;

const WIDTHS = [1440, 390] as const;
const HEIGHTS = { 1440: 900, 390: 844 } as const;

const { values, positionals } = commandLine(usage, { running: { type: 'boolean' } });
const directory = join(project, 'dist/shots');
mkdirSync(directory, { recursive: true });

const service = values.running ? await runningDashboard() : await seededDashboard();
const wanted = service.pages.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const browser = await TestBrowser.open(service.address);
let found = 0;
for (const page of wanted) for (const theme of THEMES) for (const width of WIDTHS) await take(page, theme, width);
await browser.close();
await service.close();
console.log(`${wanted.length * 4} pictures in ${directory}; ${found} problems.`);
process.exit(found > 0 ? 1 : 0);

async function take(shown: DashboardPage, theme: ShownTheme, width: (typeof WIDTHS)[number]): Promise<void> {
  const page = await browser.page({
    theme,
    width,
    height: HEIGHTS[width],
    ...(shown.as && { session: service.tokens[shown.as] }),
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

/** The demonstration's service, with the people that it has made. */
async function runningDashboard(): Promise<ShownDashboard> {
  const address = (process.env['ASSAY_URL'] ?? 'http://localhost:8080').replace(/\/$/, '');
  const home = resolve(process.env['ASSAY_HOME'] ?? '.assay');
  const tokenIn = (name: string): string => readFileSync(join(home, name), 'utf8').trim();
  const tokens = { administrator: tokenIn('admin-token'), annotator: tokenIn('example-emil-token') };
  const shown = { slug: process.env['TASK'] ?? 'sentiment', annotator: 'example-ada' };
  const pages = await dashboardPages(new ApiClient(address, tokens.administrator), shown);
  return { address, pages, tokens, close: () => Promise.resolve() };
}
