import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { goTo, type TestBrowser } from '../../factories/services/browser.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';
import type { Dashboard } from './dashboard.js';

/** A task definition whose 7th line names a metric that is not defined for labels. */
const WRONG = `# texts of the letters page
slug: letters
name: Letters
inputs: [{ name: text, type: text }]
output: { name: label, type: label, labels: [praise, blame] }
metrics: [accuracy, macro_f1]
performance: squad_f1
weights: { accuracy: 4, macro_f1: 1 }
aggregate: { minimumExamples: 10 }
`;
const RIGHT = WRONG.replace('squad_f1', 'accuracy');
const EXAMPLES = 40;
const isPraise = (index: number): boolean => index % 4 > 0;

const line = (index: number): string =>
  JSON.stringify({ id: `l${index}`, text: `Letter number ${index}`, label: isPraise(index) ? 'praise' : 'blame' });
const lines = Array.from({ length: EXAMPLES }, (_, index) => line(index));

export function ownerSuite(dashboard: () => Dashboard): void {
  describe("the owner's desk", () => {
    let world: ApiWorld;
    let browser: TestBrowser;
    let owner: string;

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      owner = await world.user('olga');
      await world.user('sam');
      await made('letters');
      await world.call('PUT', '/tasks/letters/datasets/static', {
        token: owner,
        type: 'application/x-ndjson',
        body: lines.join('\n'),
      });
      await publish({
        Cheerful: () => 'praise',
        Fair: (index) => (isPraise(index) === index % 5 > 0 ? 'praise' : 'blame'),
      });
    }, 600_000);

    /** Replaces the text in the editor. */
    async function write(page: Page, text: string): Promise<void> {
      const editor = page.getByRole('textbox', { name: 'Definition of the task, YAML' });
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    }

    it('says in which line of a task’s YAML an error is, and makes the task once it is mended', async () => {
      const page = await browser.page({ user: 'olga' });
      await goTo(page, '/tasks/new');
      await write(page, WRONG.replace('slug: letters', 'slug: essays'));
      const problem = page
        .getByRole('listitem')
        .filter({ hasText: 'squad_f1 is not defined for an output of type label' });
      expect((await problem.innerText()).replace(/\s+/g, ' ')).toMatch(/^line 7 ?: performance ?:/);
      const marked = page.locator('.cm-line', { has: page.locator('.cm-lintRange-error') });
      await marked.first().waitFor();
      expect(await marked.allInnerTexts()).toEqual(['performance: squad_f1']);
      expect(await page.getByRole('button', { name: 'Create the task' }).isDisabled()).toBe(true);

      await problem.getByRole('button', { name: 'line 7' }).click();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+End');
      await page.keyboard.insertText('performance: accuracy');
      await page.getByText('A task can be made of it.').waitFor();
      expect(await page.getByLabel('Performance metric').inputValue()).toBe('accuracy');

      await page.getByLabel('Labels').fill('praise, blame');
      await page.getByLabel('Name', { exact: true }).fill('Essays of the editor');
      await page.getByText('A task can be made of it.').waitFor();
      expect(await page.locator('.cm-content').innerText()).toMatch(/^# texts of the letters page\n/);
      await page.getByRole('button', { name: 'Create the task' }).click();
      await page.getByRole('heading', { name: 'What comes next' }).waitFor();
      const { body } = await world.call('GET', '/tasks/essays');
      expect(body).toMatchObject({ owner: 'olga', name: 'Essays of the editor', performance: 'accuracy' });
      await page.getByRole('link', { name: 'Upload a dataset' }).click();
      await page.getByRole('heading', { name: 'Datasets', level: 1 }).waitFor();
    });

    it('asks whether predictions are ranked, and then weighs no costs', async () => {
      const page = await browser.page({ user: 'olga' });
      await goTo(page, '/tasks/new');
      const text = page.locator('.cm-content');
      expect(await text.innerText()).not.toContain('weights');
      await page.getByLabel('Models and predictions.').check();
      await text.filter({ hasText: /weights:[\s{]*accuracy: 4/ }).waitFor();
      await page.getByLabel('Performance metric').selectOption('macro_f1');
      await text.filter({ hasText: /weights:[\s{]*macro_f1: 4/ }).waitFor();
      await page.getByText('A task can be made of it.').waitFor();
      await page.getByLabel('Models that run here.').check();
      await text.filter({ hasNotText: 'weights' }).waitFor();
    });

    it('says which line of a dataset is wrong, and puts it once it is mended', async () => {
      await made('notes');
      const page = await browser.page({ user: 'olga' });
      await goTo(page, '/tasks/notes/settings/datasets');
      const upload = (text: string) =>
        page.locator('input[type=file]').setInputFiles({
          name: 'Readers 2026.jsonl',
          mimeType: 'application/x-ndjson',
          buffer: Buffer.from(text),
        });
      await upload(lines.with(11, '{"text": "Letter", "label": "shrug"}').join('\n'));
      const problem = page.getByRole('listitem').filter({ hasText: 'line 12' });
      expect(await problem.innerText()).toContain('shrug');
      expect(await page.getByRole('button', { name: 'Put it' }).isDisabled()).toBe(true);

      await upload(lines.join('\n'));
      await page.getByRole('cell', { name: 'Letter number 0', exact: true }).waitFor();
      await page.getByText(`${EXAMPLES} examples`).first().waitFor();
      await page.getByRole('button', { name: 'Put it' }).click();
      await page.getByText('It is active: models are evaluated on it.').waitFor();
      await page.getByRole('rowheader', { name: 'readers-2026' }).waitFor();
      await page.getByText('no public dataset of at least 20 examples').waitFor();
      const { body } = await world.call('GET', '/tasks/notes', { token: owner });
      expect(body.datasets).toMatchObject([{ name: 'readers-2026', examples: EXAMPLES, visibility: 'hidden' }]);
    });

    it('shows the board that other weights give as the API ranks it, and keeps them', async () => {
      const page = await browser.page({ user: 'olga' });
      await goTo(page, '/tasks/letters/settings/weights');
      const preview = page.getByRole('table', { name: 'Ranks before and after' });
      await preview.waitFor();
      await page.getByLabel('accuracy, as a number').fill('0.5');
      await page.getByLabel('macro_f1, as a number').fill('6');
      const { body } = await world.call('GET', '/tasks/letters/leaderboard?weights=accuracy:0.5,macro_f1:6');
      const official = (await world.call('GET', '/tasks/letters/leaderboard')).body;
      const shownRank = (rank: number | null): string => (rank === null ? '–' : String(rank));
      const rankOf = (id: string): string =>
        shownRank(official.rows.find(({ model }: { model: { id: string } }) => model.id === id).rank);
      const expected: string[][] = body.rows.map(
        ({
          rank,
          model,
          dynascore,
        }: {
          rank: number | null;
          model: { id: string; name: string };
          dynascore: number;
        }) => [shownRank(rank), rankOf(model.id), model.name, dynascore.toPrecision(3)],
      );
      await preview
        .getByRole('cell', { name: expected[0]!.at(-1)!, exact: true })
        .first()
        .waitFor();
      const shown = await preview
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim())));
      expect(shown).toEqual(expected);

      await page.getByLabel('Exchange rate of memory').fill('2');
      await page.getByRole('button', { name: 'Save the weights' }).click();
      await page.getByText('It is saved.').waitFor();
      const { body: task } = await world.call('GET', '/tasks/letters');
      expect(task).toMatchObject({ weights: { accuracy: 0.5, macro_f1: 6 }, exchangeRates: { memory: 2 } });
    });

    it('changes a definition after saying what that does', async () => {
      const page = await browser.page({ user: 'olga' });
      await goTo(page, '/tasks/letters/settings/definition');
      await page.getByText('What a change would do is shown here').waitFor();
      await page.getByRole('radio', { name: 'Form' }).click();
      await page.getByLabel('Submissions a day').fill('9');
      await page.getByLabel('Submissions in all').focus();
      await page.getByRole('listitem').filter({ hasText: 'quota.perDay: 9' }).waitFor();
      await page.getByText('The board stays as it is.').waitFor();
      await page.getByRole('button', { name: 'Save the change' }).click();
      await page.getByText('It is saved.').waitFor();
      expect((await world.call('GET', '/tasks/letters')).body.quota).toEqual({ perDay: 9, total: 100 });
    });

    it('opens a round, takes contexts and retires one, and closes it after saying what follows', async () => {
      const page = await browser.page({ user: 'olga' });
      await goTo(page, '/tasks/letters/settings/rounds');
      await page.getByLabel('Goal').fill('Irony.');
      await page.getByLabel('Examples written').fill('500');
      await page.getByText('It closes with 500 examples written.').waitFor();
      await page.getByRole('radio', { name: 'Those that I name' }).click();
      await page.getByRole('checkbox', { name: 'Fair' }).click();
      await page.getByRole('button', { name: 'Open the round' }).click();
      await page.getByRole('heading', { name: 'Round 1 is open' }).waitFor();

      const contexts = [
        { id: 'one', prompt: 'Dear editor' },
        { id: 'two', prompt: 'Sir' },
      ].map((each) => JSON.stringify(each));
      await page
        .getByLabel('File of contexts')
        .setInputFiles({ name: 'c.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(contexts.join('\n')) });
      await page.getByRole('button', { name: 'Put the lines' }).click();
      await page.getByRole('button', { name: 'Retire one' }).click();
      await page.getByRole('button', { name: 'Put one back' }).waitFor();

      await page.getByRole('button', { name: 'Close the round…' }).click();
      await page.getByText("this can't be undone").waitFor();
      await page.getByRole('button', { name: 'Close round 1 now' }).click();
      await page.getByRole('heading', { name: /Round 1 is closing|Closed/ }).waitFor();
      const { body } = await world.call('GET', '/tasks/letters/rounds/1', { token: owner });
      expect(body).toMatchObject({ description: 'Irony.', turn: { examples: 500 }, counts: { activeContexts: 1 } });
      expect(body.state).not.toBe('open');
    });

    it('keeps out who does not own the task', async () => {
      const page = await browser.page({ user: 'sam' });
      await goTo(page, '/tasks/letters/settings/weights');
      await page.getByText('Only the owners of Letters can change it.').waitFor();
    });

    it('wrote nothing into the console', () => expect(browser.problems.splice(0)).toEqual([]));

    /** Creates a task of the user `olga`. */
    async function made(slug: string): Promise<void> {
      const body = RIGHT.replace('slug: letters', `slug: ${slug}`);
      const { status } = await world.call('POST', '/tasks', { token: owner, type: 'application/yaml', body });
      expect(status).toBe(201);
    }

    /** Adds scored models with these answers, and publishes the board. */
    async function publish(models: Readonly<Record<string, (index: number) => string>>): Promise<void> {
      const em = world.orm.em.fork();
      for (const [name, label] of Object.entries(models)) {
        const answer = (_: string, { index }: { readonly index: number }) => ({ text: label(index) });
        const id = await scoredModel(world, { slug: 'letters', name, token: owner, answer });
        await em.nativeUpdate(Model, id, { state: 'scored' });
        const { specification } = await em.findOneOrFail(Model, id, { populate: ['specification'] });
        await em.nativeUpdate(Artifact, specification!.artifact.id, { state: 'admitted' });
      }
      await publishBoard(world, 'letters');
    }
  });
}
