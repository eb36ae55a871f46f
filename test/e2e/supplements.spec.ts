import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelView } from '@assay/contracts/models';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { axeViolationsInThemes, goTo, NO_VIOLATIONS, TestBrowser } from '../factories/services/browser.js';
import { cliIn } from '../factories/services/cli-runner.js';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { sharedService } from '../factories/worlds/shared-service.js';

jest.setTimeout(300_000);

const SLUG = 'later-moods';
const PLACES = Array.from({ length: 60 }, (_, place) => place);
const labelOf = (place: number): string => (place % 3 === 0 ? 'negative' : 'positive');
const lines = (objects: readonly object[]): string => objects.map((each) => `${JSON.stringify(each)}\n`).join('');
const examples = lines(PLACES.map((place) => ({ id: place, text: `mood ${place}`, label: labelOf(place) })));
/** Predictions for a dataset, the first `wrong` of which are wrong. */
const predictions = (dataset: string, wrong: number): string =>
  lines(
    PLACES.map((place) => {
      const label = labelOf(place);
      const prediction = place >= wrong ? label : label === 'positive' ? 'negative' : 'positive';
      return { dataset, id: String(place), prediction };
    }),
  );

describe('predictions for a round that came later', () => {
  let world: ServiceClient;
  let browser: TestBrowser;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assay-later-'));
    world = await sharedService();
    for (const name of ['later-ann', 'later-bob']) await world.user(name);
    await world.task({
      slug: SLUG,
      name: 'Later moods',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
      performance: 'accuracy',
      weights: { accuracy: 1 },
      aggregate: { minimumExamples: 10 },
      supplements: { days: 14 },
    });
    await world.dataset(SLUG, 'round-1', 'round=1&role=round&visibility=inputs', examples);
    browser = await TestBrowser.open(world.url);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ranked(owner: string, wrong: number): Promise<string> {
    const file = Buffer.from(predictions('round-1', wrong));
    const id = await world.submit(SLUG, { name: `Moods of ${owner}`, kind: 'predictions' }, file, owner);
    expect((await world.untilFinal(id, owner)).model).toMatchObject({ state: 'scored' });
    await world.board(SLUG, ({ rows }) => rows.some(({ model }) => model.id === id));
    return id;
  }
  const isIncomplete = (id: string, owner: string) => async () =>
    ((await world.model(id, owner)) satisfies ModelView).awaits?.length === 1;

  it('come by the CLI and by the page, and rank the models again', async () => {
    const [ann, bob] = [await ranked('later-ann', 6), await ranked('later-bob', 12)];
    await world.dataset(SLUG, 'round-2', 'round=2&role=round&visibility=inputs', examples);
    await world.expect(201, 'POST', `/tasks/${SLUG}/benchmark-versions`, { token: world.admin, body: {} });
    for (const [id, owner] of [
      [ann, 'later-ann'],
      [bob, 'later-bob'],
    ] as const) {
      await world.until(isIncomplete(id, owner), 60_000);
    }
    const without = await world.board(SLUG, ({ incomplete }) => incomplete.length === 2);
    expect(without.rows).toEqual([]);
    const told = await world.call('GET', '/me/notifications', { token: await world.user('later-ann') });
    expect((told.body.items as { kind: string }[]).map(({ kind }) => kind)).toContain('model_incomplete');

    // by the CLI, which names what is wrong first
    const assay = cliIn(folder);
    writeFileSync(join(folder, 'token'), await world.user('later-ann'));
    const connection = ['--url', world.url, '--token', join(folder, 'token')];
    writeFileSync(join(folder, 'both.jsonl'), predictions('round-2', 3) + predictions('round-1', 0));
    const refused = await assay('submit', '--for', 'Moods of later-ann', 'both.jsonl', ...connection);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('60 predictions are for examples that an earlier file has');
    writeFileSync(join(folder, 'round-2.jsonl'), predictions('round-2', 3));
    const added = await assay('submit', '--for', 'Moods of later-ann', 'round-2.jsonl', ...connection);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('Rank 1 of 1') });

    // by the page
    const page = await browser.page({ session: await world.user('later-bob') });
    await goTo(page, `/tasks/${SLUG}/models/${bob}`);
    const section = page.getByRole('region', { name: 'Predictions for later datasets' });
    expect(await section.innerText()).toContain('round-2: the model has no rank without it.');
    expect(await axeViolationsInThemes(page)).toEqual(NO_VIOLATIONS);
    await section.getByRole('link', { name: 'See its rank on the datasets that it has' }).click();
    await page.getByRole('row', { name: /Moods of later-bob/ }).waitFor();
    await page.goBack();
    await section.locator('input[type=file]').setInputFiles({
      name: 'round-2.jsonl',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(predictions('round-2', 20)),
    });
    await section.getByRole('button', { name: 'Add the predictions' }).click();
    await section.getByText('accepted').waitFor();

    const board = await world.board(SLUG, ({ rows }) => rows.length === 2);
    expect(board.rows.map(({ model }) => model.id)).toEqual([ann, bob]);
    expect(board.rows[1]!.datasets['round-2']!['accuracy']!.value).toBeCloseTo(40 / 60, 12);
    expect(browser.problems).toEqual([]);
  });
});
