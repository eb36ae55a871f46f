import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { demonstrationSubmissions } from '../../scripts/services/demonstration-submissions.js';
import { axeViolationsInThemes, goTo, NO_VIOLATIONS, TestBrowser } from '../factories/services/browser.js';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { sharedService } from '../factories/worlds/shared-service.js';
import { tarOf } from '../factories/models/submitted-images.js';

jest.setTimeout(300_000);

const TASK: TaskDefinitionInput = {
  slug: 'submitted-moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  limits: { memory: '512MiB', artifact: '1GiB' },
  aggregate: { minimumExamples: 10 },
};
const examples = join(import.meta.dirname, '../../sandboxes/examples/sentiment');
/**
 * The upload speed in bytes per second: slow enough to leave the page in the middle of an upload.
 */
const SLOW = 8 * 2 ** 20;

describe('submitting a model in the dashboard', () => {
  let world: ServiceClient;
  let browser: TestBrowser;
  let folder: string;
  let lexicon: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assay-submit-'));
    lexicon = await demonstrationSubmissions.find(({ title }) => title === 'Lexicon')!.artifact(folder);
    world = await sharedService();
    await world.user('submitter');
    await world.task(TASK);
    for (const name of ['static', 'round-1']) {
      await world.dataset(
        'submitted-moods',
        name,
        'role=static&visibility=public',
        readFileSync(join(examples, `${name}.jsonl`), 'utf8'),
      );
    }
    browser = await TestBrowser.open(world.url);
  });
  afterEach(() => browser.releasePages());
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Simulates dragging the file at `path` from the desktop onto `target`. */
  async function dropFile(page: Page, target: Locator, path: string): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await target.boundingBox())!;
    const devtools = await page.context().newCDPSession(page);
    const at = { x: x + width / 2, y: y + height / 2, data: { items: [], files: [path], dragOperationsMask: 1 } };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, ...at });
    }
    await devtools.detach();
  }

  async function described(page: Page, name: string): Promise<void> {
    await goTo(page, '/tasks/submitted-moods/submit');
    await page.getByLabel('Name on the board').fill(name);
    await page.getByRole('button', { name: 'Next: the file' }).click();
  }

  const zone = (page: Page): Locator => page.locator('label', { hasText: 'Drop the file here' });

  it('takes a container by drag and drop, continues where a reload cut it off, and shows its rank', async () => {
    const page = await browser.page({ user: 'submitter' });
    await described(page, 'Lexicon');
    const devtools = await page.context().newCDPSession(page);
    const network = { offline: false, latency: 0, downloadThroughput: -1 };
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { ...network, uploadThroughput: SLOW });
    await dropFile(page, zone(page), lexicon);
    await page.locator('[data-sent]', { hasText: /^\s*[1-9][\d.]* MiB of .*left/ }).waitFor();
    await page.reload();
    await page.getByText('are here already').waitFor();
    await devtools.send('Network.emulateNetworkConditions', { ...network, uploadThroughput: -1 });

    // an unavailable service is no reason to give up the bytes that have arrived
    // (only once: the browser sends all bytes of the file to the interception, which takes long)
    await page.route('**/upload', (route) => route.fulfill({ status: 503 }), { times: 1 });
    const refused = page.waitForResponse((response) => response.status() === 503);
    let asked = 0;
    page.on('request', (request) => {
      if (request.method() === 'HEAD') asked++;
    });
    const rest = page.waitForRequest((request) => request.method() === 'PATCH');
    await dropFile(page, zone(page), lexicon);
    expect((await refused).request().method()).toBe('HEAD');
    const from = Number((await rest).headers()['upload-offset']);
    expect(asked).toBeGreaterThan(1);
    expect(from).toBeGreaterThan(2 ** 20);
    expect(from).toBeLessThan(statSync(lexicon).size);
    expect(browser.problems.splice(0)).toEqual([expect.stringContaining('status of 503')]);

    await page.locator('[data-dataset="round-1"]').waitFor();
    await page.locator('[data-rank]', { hasText: 'Rank 1' }).waitFor({ timeout: 120_000 });
    await page.waitForURL((url) => url.searchParams.has('model'));
    const id = new URL(page.url()).searchParams.get('model')!;
    expect(await world.model(id, 'submitter')).toMatchObject({ name: 'Lexicon', state: 'scored', kind: 'container' });
    await page.getByRole('link', { name: 'See the board' }).click();
    await page.waitForURL('**/tasks/submitted-moods/leaderboard');
  });

  it('says of a refused archive what it is and what to do', async () => {
    const path = join(folder, 'no-image.tar');
    writeFileSync(path, await tarOf([{ name: 'manifest.json', content: '[]' }]));
    const page = await browser.page({ user: 'submitter' });
    await described(page, 'No image');

    await dropFile(page, zone(page), path);

    const alert = page.getByRole('alert');
    await alert.getByText('Upload the output of docker save').waitFor();
    expect(await alert.textContent()).toContain('The model is at fault.');
    expect(await alert.textContent()).toContain('not_an_image');
    await page.getByRole('link', { name: 'Submit another' }).click();
    await page.getByRole('button', { name: 'Next: the file' }).waitFor();
  });

  it('sees before a byte is sent that a file is of another kind, and empty, and sends nothing', async () => {
    const [predictions, empty] = [join(folder, 'answers.jsonl'), join(folder, 'empty.tar')];
    writeFileSync(predictions, '{"dataset": "static", "id": "1", "prediction": "positive"}\n');
    writeFileSync(empty, '');
    const page = await browser.page({ user: 'submitter' });
    await described(page, 'Nothing');

    await dropFile(page, zone(page), empty);
    await page.getByRole('alert').getByText('is empty').waitFor();
    await dropFile(page, zone(page), predictions);
    await page.getByRole('button', { name: 'Send it as Predictions only' }).waitFor();

    const { body } = await world.call('GET', '/me/models', { token: await world.user('submitter') });
    expect((body.items as { name: string }[]).map(({ name }) => name)).not.toContain('Nothing');
  });

  it('breaks no rule of axe in either theme, and no policy', async () => {
    const page = await browser.page({ user: 'submitter' });
    await goTo(page, '/submit');
    expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
    await described(page, 'Any');
    await zone(page).waitFor();
    expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
    expect(browser.problems).toEqual([]);
  });
});
