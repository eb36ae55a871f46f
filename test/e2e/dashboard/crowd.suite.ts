import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Annotation } from '@assay/collection/annotating';
import { CrowdSession } from '@assay/collection/crowds';
import { Credential } from '@assay/identity';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Frame, Page } from 'playwright-core';
import { annotatingRound, answerBy } from '../../factories/worlds/annotating-world.js';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import type { TestBrowser } from '../../factories/services/browser.js';
import type { Dashboard } from './dashboard.js';

const TASK = {
  slug: 'crowd-moods',
  name: 'Moods of sentences',
  inputs: [
    { name: 'place', type: 'text' as const },
    { name: 'text', type: 'text' as const },
  ],
  output: { name: 'label', type: 'label' as const, labels: ['negative', 'positive'] },
  performance: 'accuracy' as const,
  collection: {
    instructions: 'Write a sentence about the place.',
    explanations: ['model' as const],
    consent: { version: 'c1', text: 'I take part.' },
  },
};
const QUESTIONS = ['awful', 'lovely'].map((word, index) => ({
  input: { place: 'here', text: `It is ${word}.` },
  label: TASK.output.labels[index],
}));

/** A crowd platform: its page shows the job in a frame, and it receives what the job submits. */
interface Platform {
  readonly origin: string;
  readonly received: Promise<URLSearchParams>;
  close(): Promise<void>;
}

async function platform(frame: () => string): Promise<Platform> {
  const { promise: received, resolve } = Promise.withResolvers<URLSearchParams>();
  const server: Server = createServer((request, response) => {
    const isHandIn = request.method === 'POST' && request.url === '/mturk/externalSubmit';
    if (isHandIn) void text(request).then((body) => resolve(new URLSearchParams(body)));
    response.setHeader('content-type', 'text/html');
    response.end(
      isHandIn ? 'handed in' : `<title>A platform</title><iframe src="${frame()}" width=900 height=900></iframe>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function crowdSuite(dashboard: () => Dashboard): void {
  describe('the page of a crowd', () => {
    let world: ApiWorld;
    let browser: TestBrowser;
    let allowed: Platform;
    let other: Platform;
    let job = '';
    let ids = '';

    beforeAll(async () => {
      ({ world, browser } = dashboard());
      const contexts = Array.from({ length: 4 }, (_, n) => ({ content: { place: `Town number ${n}` } }));
      const round = await annotatingRound(world, { definition: TASK, contexts });
      answerBy(world, () => ({ answer: 'negative', probabilities: [0.9, 0.1] }));
      [allowed, other] = [await platform(() => `${job}?${ids}`), await platform(() => `${job}?${ids}`)];
      const { status, body } = await world.call('POST', '/tasks/crowd-moods/rounds/1/crowd-links', {
        token: round.owner,
        body: {
          platform: 'mturk',
          examples: 2,
          pay: { amount: 2, currency: 'USD', minutes: 10 },
          onboarding: { questions: QUESTIONS, pass: 1 },
          frameAncestors: [allowed.origin],
          submitTo: [allowed.origin],
          expiresAt: '2099-01-01T00:00:00Z',
        },
      });
      expect(status).toBe(201);
      job = `${world.url}/api/v1/crowd/${(body.url as string).split('/').at(-1)}`;
    }, 600_000);
    afterAll(async () => {
      // drops the reported problems: this suite opens pages of other origins on purpose, one of
      // which is refused
      browser.problems.splice(0);
      await Promise.all([allowed?.close(), other?.close()]);
    });

    async function opened(origin: string, given: Record<string, string>): Promise<Page> {
      ids = new URLSearchParams({ hitId: 'H1', turkSubmitTo: allowed.origin, ...given }).toString();
      const page = await browser.page();
      await page.goto(origin);
      return page;
    }

    async function frameOf(page: Page): Promise<Frame> {
      const element = await page.waitForSelector('iframe');
      const frame = await element.contentFrame();
      if (!frame) throw new Error('there is no frame');
      return frame;
    }

    /** Returns the label of the focused element in the frame. */
    const focused = (frame: Frame): Promise<string> =>
      frame.evaluate(`(() => {
        const { activeElement: at, body } = document;
        return !at || at === body ? '' : ((at.labels?.[0] ?? at).textContent ?? '').trim();
      })()`);

    async function tabTo(page: Page, frame: Frame, name: string): Promise<void> {
      for (let presses = 0; presses < 60; presses += 1) {
        if ((await focused(frame)) === name) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`the keyboard does not come to "${name}"`);
    }

    /** Waits until a step is shown: its heading has the focus. */
    const heading = (frame: Frame, title: string) => frame.waitForSelector(`h1:focus:text-is("${title}")`);

    it('is refused in a frame of anybody else', async () => {
      const page = await browser.page();
      ids = 'assignmentId=A0&workerId=W0';
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
      await page.goto(other.origin);
      await refused;

      const frame = await frameOf(page);
      expect(frame.url()).toMatch(/^chrome-error:/);
    });

    it('shows a preview, and takes nothing there', async () => {
      const page = await opened(allowed.origin, { assignmentId: 'ASSIGNMENT_ID_NOT_AVAILABLE' });
      const frame = await frameOf(page);
      await heading(frame, TASK.name);

      await frame.getByText('Write a sentence about the place.').waitFor();
      const shown = await frame.textContent('main');
      expect(shown).toContain('2.00 USD for 2 examples, about 10 minutes (12.00 USD an hour)');
      expect(shown).toContain('Accept the HIT to begin');
      expect(await frame.locator('button').count()).toBe(0);
    });

    it('takes a worker through the test and an example by keyboard, and hands in what was left early', async () => {
      const page = await opened(allowed.origin, { assignmentId: 'A1', workerId: 'W1' });
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      const frame = await frameOf(page);
      const press = (key: string) => page.keyboard.press(key);
      const go = async (name: string, key: string) => {
        await tabTo(page, frame, name);
        await press(key);
      };

      await heading(frame, TASK.name);
      await go('Begin', 'Enter');
      await heading(frame, 'Before you begin');
      await go('I agree to take part.', 'Space');
      await go('Agree and begin', 'Enter');

      await heading(frame, 'A short test');
      await go('negative', 'Space');
      await press('Tab');
      await press('ArrowDown');
      await go('Send the test', 'Enter');

      await heading(frame, 'Example 1 of 2');
      await tabTo(page, frame, 'text');
      await page.keyboard.type('So sunny that it hurts.');
      await go('negative', 'ArrowDown');
      await go('Ask the model', 'Enter');

      await frame.waitForSelector('h2:focus:text-is("You fooled the model")');
      expect(await frame.textContent('app-model-answers')).toMatch(/^\s*The model\s*negative.*negative\s*90\.0%/);
      await tabTo(page, frame, 'What misled the model, or nearly did');
      await page.keyboard.type('It read "hurts".');
      await go('Next example', 'Enter');

      await heading(frame, 'Example 2 of 2');
      // the token of the session has expired: the session continues under another one
      await world.orm.em.fork().nativeUpdate(Credential, { name: 'crowd' }, { expiresAt: new Date('2020-01-01') });
      await go('Leave now and be paid', 'Enter');
      await heading(frame, 'Leave now?');
      expect(await frame.textContent('main')).toContain('You are paid 1.00 USD for 1 of 2 examples.');
      await go('Leave and be paid', 'Enter');
      await heading(frame, 'Finished');
      await go('Hand in', 'Enter');

      const handedIn = Object.fromEntries(await allowed.received);
      const em = world.orm.em.fork();
      const session = await em.findOneOrFail(CrowdSession, { assignment: 'A1' });
      expect(session).toMatchObject({ state: 'finished', early: true, paid: 1, worker: 'W1', examples: 1 });
      expect(handedIn).toEqual({ assignmentId: 'A1', code: session.code, examples: '1' });
      const [annotation, ...more] = await em.find(Annotation, { annotator: session.user.id });
      expect(more).toEqual([]);
      expect(annotation).toMatchObject({
        input: { text: 'So sunny that it hurts.', place: expect.stringContaining('Town') },
        label: ['positive'],
        fooled: true,
        explanations: { model: 'It read "hurts".' },
      });
      // the browser reports the refused request by itself
      expect(problems).toEqual([expect.stringContaining('401')]);
      expect(await page.context().cookies()).toEqual([]);
    });

    it('says what is wrong with a link that was forged', async () => {
      const page = await browser.page();
      await page.goto(`${world.url}/api/v1/crowd/not.a.link?assignmentId=A9`);
      await page.waitForSelector('#problem:not([hidden])');

      expect(await page.textContent('#problem')).toContain('This link is invalid or incomplete');
    });
  });
}
