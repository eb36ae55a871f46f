import { Annotation } from '@assay/collection/annotating';
import { Validation } from '@assay/collection/validating';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { Credential } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { annotatingRound, answerBy } from '../../factories/worlds/annotating-world.js';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { axeViolationsInThemes, goTo, NO_VIOLATIONS, type TestBrowser } from '../../factories/services/browser.js';
import type { Dashboard } from './dashboard.js';

const NLI: TaskDefinitionInput = {
  slug: 'nli',
  name: 'Inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy',
  collection: {
    instructions: 'Write **one sentence**.',
    explanations: ['example', 'model'],
    validations: 1,
    mostValidations: 1,
    boardMinimum: 1,
    consent: { version: 'c1', text: 'I take part.' },
    licence: { name: 'CC-BY-4.0', version: 'l1', text: 'It is mine to give.' },
    fields: [{ name: 'source', label: 'What does it rest on?', type: 'choice', choices: ['numbers', 'words'] }],
  },
};
const QA: TaskDefinitionInput = {
  slug: 'qa',
  name: 'Questions',
  inputs: [
    { name: 'passage', type: 'text' },
    { name: 'question', type: 'text' },
  ],
  output: { name: 'answer', type: 'span', of: 'passage' },
  performance: 'squad_f1',
  collection: {},
};
const HATE: TaskDefinitionInput = {
  ...NLI,
  slug: 'hate',
  name: 'Hate speech',
  collection: { contentWarning: 'You may read **insults**.' },
};
const PASSAGE = '🚢 The ship left Lisbon\r\nin 1912, and came back in 1914.';

export function annotateSuite(dashboard: () => Dashboard): void {
  describe('collecting by keyboard', () => {
    let world: ApiWorld;
    let browser: TestBrowser;
    /** True if the models cannot answer yet. */
    let isStarting = false;

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      const contexts = (texts: readonly string[], name: string) => texts.map((text) => ({ content: { [name]: text } }));
      const rains = ['It rains in Lisbon.', 'Nobody sails today.', 'Ada has two ships.', 'The harbour is full.'];
      await annotatingRound(world, { definition: NLI, contexts: contexts(rains, 'context') });
      await annotatingRound(world, { definition: QA, contexts: contexts([PASSAGE], 'passage') });
      await annotatingRound(world, { definition: HATE, contexts: contexts(rains, 'context') });
      answerBy(world, ({ task }) => {
        if (isStarting) throw new DomainError('unavailable', 'model_starting', 'Its container starts.');
        return task.slug === 'qa' ? { answer: 'Lisbon' } : { answer: 'entailment', probabilities: [0.72, 0.2, 0.08] };
      });
      for (const name of ['ana', 'bo', 'cyrus', 'dita']) await world.user(name);
    }, 600_000);

    /** Returns the visible label of the focused element. */
    const at = (page: Page): Promise<string> =>
      page.evaluate(`(() => {
        const { activeElement: at, body } = document;
        if (!at || at === body) return '';
        const label = at.labels?.[0] ?? document.querySelector('label[for="' + at.id + '"]') ?? at;
        return (label.textContent ?? '').replace(/\\s+/g, ' ').trim();
      })()`);

    async function tabTo(page: Page, name: string): Promise<void> {
      for (let presses = 0; presses < 80; presses += 1) {
        if ((await at(page)).startsWith(name)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`the keyboard does not come to "${name}", but to "${await at(page)}"`);
    }

    async function press(page: Page, ...keys: readonly string[]): Promise<void> {
      for (const key of keys) await page.keyboard.press(key);
    }

    async function agree(page: Page, ...terms: readonly string[]): Promise<void> {
      for (const term of terms) {
        await tabTo(page, term);
        await press(page, 'Space');
      }
      await tabTo(page, 'Agree and begin');
      await press(page, 'Enter');
    }

    const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
    /** Waits until the field has the focus. */
    const ready = (page: Page, id: string) => page.locator(`#${id}:focus`).waitFor();
    const ofUser = (email: string) => ({ annotator: { email: `${email}@example.org` } });

    it('writes three examples, and says why, takes one back, tries again and skips', async () => {
      const page = await browser.page({ user: 'ana' });
      await goTo(page, '/tasks/nli/annotate');
      await agree(page, 'I agree to take part.', 'I give what I write under this licence.');

      await ready(page, 'write-hypothesis');
      await page.keyboard.type('It is dry everywhere.');
      await press(page, 'Control+Enter');
      await page.getByText('Say what is right: label.').waitFor();
      // the label field has the focus by now
      await press(page, '3', 'Control+Enter');
      await heading(page, 'You fooled the model');
      expect(await page.getByRole('status').first().textContent()).toContain(
        'It answered: entailment, 72.0 percent sure.',
      );
      await press(page, 'i');
      await page.getByText('Found by leaving out one word').waitFor();
      await tabTo(page, 'Why your answer is right');
      await page.keyboard.type('Rain is wet.');
      await tabTo(page, 'What does it rest on?');
      await press(page, 'ArrowDown');
      await press(page, 'Control+Enter');

      await ready(page, 'write-hypothesis');
      await page.keyboard.type('There is weather.');
      await press(page, 'Escape', '1', 'Control+Enter');
      await heading(page, 'The model was not fooled');
      await press(page, 't');
      await page.getByText('try 2 with this context').waitFor();
      await press(page, 'Escape', '2', 'Control+Enter');
      await heading(page, 'You fooled the model');
      await press(page, 'r');
      await heading(page, 'Retract this example');
      await press(page, 'Tab', 'Enter');
      await heading(page, 'You have retracted this example');

      await press(page, 'n');
      await ready(page, 'write-hypothesis');
      await press(page, 'Escape', 's');
      await heading(page, 'Skip this context');
      await page.keyboard.type('too short');
      await press(page, 'Enter');
      await ready(page, 'write-hypothesis');
      await press(page, 'Escape', '?');
      await heading(page, 'Keys');
      await press(page, 'Escape');

      const written = await world.orm.em.fork().find(Annotation, ofUser('ana'), { orderBy: { createdAt: 'asc' } });
      expect(
        written.map(({ input, authorLabel, fooled, retractedAt }) => [
          input['hypothesis'],
          authorLabel[0],
          fooled,
          retractedAt !== null,
        ]),
      ).toEqual([
        ['It is dry everywhere.', 'contradiction', true, false],
        ['There is weather.', 'entailment', false, false],
        ['There is weather.', 'neutral', true, true],
      ]);
      expect(written[0]).toMatchObject({ explanations: { example: 'Rain is wet.' }, extra: { source: 'numbers' } });
      const [mark] = await world.orm.em.fork().execute<{ reason: string }[]>(`select reason from context_mark`);
      expect(mark).toEqual({ reason: 'too short' });
    });

    it('validates an example: its label blind, then what one makes of the author’s', async () => {
      const page = await browser.page({ user: 'bo' });
      await goTo(page, '/tasks/nli/validate');
      await agree(page, 'I agree to take part.', 'I give what I write under this licence.');

      await heading(page, 'What is right?');
      const main = page.locator('main');
      expect(await main.textContent()).not.toContain('The author says');
      const isFirst = (await main.textContent())?.includes('It is dry everywhere.');
      await press(page, isFirst ? '3' : '1', 'Enter');
      await heading(page, 'The author says the same');
      await press(page, 'c');
      await heading(page, 'You say: the author is right');
      await page.getByText('the example is validated').first().waitFor();
      await press(page, 'n');
      await heading(page, 'What is right?');
      await press(page, '2', 'Enter');
      await heading(page, 'The author says something else');
      await press(page, 'i', 'Enter');
      await heading(page, 'You say: another label is right');

      const given = await world.orm.em
        .fork()
        .find(Validation, { validator: { username: 'bo' } }, { orderBy: { createdAt: 'asc' } });
      expect(given.map(({ verdict, rightLabel }) => [verdict, rightLabel])).toEqual([
        ['correct', null],
        ['incorrect', ['neutral']],
      ]);
    });

    it('marks an answer in a text by keys, past characters of two units and lines that end with two', async () => {
      const page = await browser.page({ user: 'ana' });
      await goTo(page, '/tasks/qa/annotate');
      await ready(page, 'write-question');
      await page.keyboard.type('When did it come back?');
      await press(page, 'Control+Enter');
      await page.getByRole('alert').getByText('Mark the answer in passage.').waitFor();
      await ready(page, 'span');
      await press(page, 'Control+End', 'ArrowLeft');
      await press(page, 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft');
      await page.getByText('Marked: 1914').waitFor();
      await press(page, 'Control+Enter');
      await heading(page, 'You fooled the model');

      const annotation = await world.orm.em.fork().findOneOrFail(Annotation, { round: { task: { slug: 'qa' } } });
      expect(annotation).toMatchObject({ authorLabel: ['1914'], input: { passage: PASSAGE } });
      expect(annotation.span).toEqual({ start: PASSAGE.indexOf('1914'), end: PASSAGE.indexOf('1914') + 4 });
    });

    it('keeps a half-written example over a reload, and sends it as it was after a session that has ended', async () => {
      const page = await browser.page({ user: 'cyrus' });
      await goTo(page, '/tasks/nli/annotate');
      await agree(page, 'I agree to take part.', 'I give what I write under this licence.');
      await ready(page, 'write-hypothesis');
      await page.keyboard.type('Not a drop has fallen');
      const context = await page.locator('app-context-fields').textContent();
      await page.reload();
      await page.getByText('21 of 5,000').waitFor();
      await press(page, '3');
      await page.locator('#write-hypothesis').focus();
      await press(page, 'Control+End');
      await page.keyboard.type(' since May.');

      await world.orm.em
        .fork()
        .nativeUpdate(Credential, { user: { username: 'cyrus' } }, { expiresAt: new Date('2020-01-01') });
      await press(page, 'Control+Enter');
      await heading(page, 'Your session has ended');
      await tabTo(page, 'Mail address');
      await page.keyboard.type('cyrus@example.org');
      await press(page, 'Tab');
      await page.keyboard.type('cyrus-has-a-password');
      await press(page, 'Enter');

      await heading(page, 'You fooled the model');
      expect(await page.locator('app-context-fields').textContent()).toContain(context!.trim());
      const [written, ...more] = await world.orm.em.fork().find(Annotation, ofUser('cyrus'));
      expect(more).toEqual([]);
      expect(written).toMatchObject({
        input: { hypothesis: 'Not a drop has fallen since May.' },
        authorLabel: ['contradiction'],
      });
    });

    it('keeps what no model could answer yet, and asks again by itself', async () => {
      const page = await browser.page({ user: 'cyrus' });
      await goTo(page, '/tasks/nli/annotate');
      await ready(page, 'write-hypothesis');
      await page.keyboard.type('It pours.');
      isStarting = true;
      await press(page, 'Escape', '1', 'Control+Enter');
      await heading(page, 'Your example is saved');
      await page.reload();
      await heading(page, 'Your example is saved');
      isStarting = false;
      await heading(page, 'The model was not fooled');
      expect(await world.orm.em.fork().count(Annotation, { ...ofUser('cyrus') })).toBe(2);
    });

    it('celebrates nothing where there is a content warning, which is read before anything else', async () => {
      const page = await browser.page({ user: 'dita' });
      await goTo(page, '/tasks/hate/annotate');
      await page.getByText('You may read insults.').waitFor();
      expect(await page.locator('app-example-form').count()).toBe(0);
      await agree(page, 'I have read this and want to continue.', 'I am 18 years old or older.');
      await ready(page, 'write-hypothesis');
      await page.keyboard.type('A sentence.');
      await press(page, 'Escape', '2', 'Control+Enter');
      await heading(page, 'The model was wrong');
      expect(await page.locator('.celebrates').count()).toBe(0);
      expect(await page.locator('app-round-progress').textContent()).not.toMatch(/fooled in a row|days in a row/);
    });

    it('breaks no rule of axe in either theme', async () => {
      const page = await browser.page({ user: 'dita', width: 390, height: 844 });
      for (const path of ['nli/annotate', 'nli/validate', 'nli/annotators', 'qa/annotate', 'hate/annotate']) {
        await goTo(page, `/tasks/${path}`);
        expect({ path, ...(await axeViolationsInThemes(page)) }).toEqual({ path, ...NO_VIOLATIONS });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      }
    });

    it('does nothing that a page may not do', () => {
      // a model that cannot answer returns 503, which the browser reports in the console
      expect(browser.problems.splice(0).filter((problem) => !problem.includes('status of 503'))).toEqual([]);
    });
  });
}
