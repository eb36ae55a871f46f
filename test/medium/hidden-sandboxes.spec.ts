import { fakeModel, FakeSandboxDriver, type FakeModel, type SandboxData } from '@assay/sandbox';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { runWaiting } from '../factories/worlds/evaluator-runs.js';
import { savedImageFiles, tarOf } from '../factories/models/submitted-images.js';

const TASK = {
  slug: 'riddles',
  name: 'Riddles',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'reply', type: 'text' },
  performance: 'exact_match',
  perturbations: { robustness: ['case'], sample: 10 },
  quota: { perDay: 100, total: 100 },
};
const VISIBILITIES = { open: 'public', shown: 'inputs', first: 'hidden', second: 'hidden' } as const;
type Name = keyof typeof VISIBILITIES;
const EXAMPLES = 30;

const mark = (name: Name) => `mark-of-${name}`;
const lines = (name: Name): string =>
  Array.from({ length: EXAMPLES }, (_, n) =>
    JSON.stringify({ id: `${name}-${n}`, text: `${mark(name)} is this riddle number ${n}`, reply: `reply ${n}` }),
  ).join('\n');

interface Instance {
  readonly text: string;
}

const OUTPUT = 'what the model wrote\n';

/** Returns a container whose answers list everything that it has seen so far. */
function memorising(containers: Set<string>[]): FakeModel {
  const seen = new Set<string>();
  containers.push(seen);
  const reply = (request: unknown) => {
    const { instances } = request as { instances: Instance[] };
    for (const { text } of instances) seen.add(text.toLowerCase().split(' ')[0]!);
    return { predictions: instances.map(() => `I have seen ${[...seen].join(' ')}`) };
  };
  return fakeModel.answers(reply, { output: OUTPUT });
}

describe('a run on readable and on hidden data', () => {
  Logger.overrideLogger(false);
  let world: ApiWorld;
  let owner: string;
  let builder: string;
  beforeAll(async () => {
    world = await apiWorld();
    [owner, builder] = [await world.user('owner'), await world.user('builder')];
    expect((await world.call('POST', '/tasks', { token: owner, body: TASK })).status).toBe(201);
    for (const name of Object.keys(VISIBILITIES) as Name[]) {
      const path = `/tasks/riddles/datasets/${name}?role=static&visibility=${VISIBILITIES[name]}`;
      const put = await world.call('PUT', path, { token: owner, type: 'application/x-ndjson', body: lines(name) });
      expect(put.status).toBe(201);
    }
  });
  afterAll(() => world.close());

  /**
   * Submits an image as `builder`.
   * @returns The model's ID.
   */
  async function submitted(name: string): Promise<string> {
    const body = { name, kind: 'container', publish: true };
    const { body: created } = await world.call('POST', '/tasks/riddles/models', { token: builder, body });
    const layer = await tarOf([{ name: 'name', content: name }]);
    const image = await tarOf(savedImageFiles({ layers: [{ tar: layer }] }));
    const put = await world.call('PUT', `/models/${created.id}/artifact`, {
      token: builder,
      type: 'application/octet-stream',
      body: image,
    });
    expect(put.status).toBe(202);
    return created.id as string;
  }

  describe('of a model that remembers what it has seen', () => {
    const containers: Set<string>[] = [];
    const driver = new FakeSandboxDriver(() => memorising(containers));
    let id: string;
    beforeAll(async () => {
      id = await submitted('Remembers');
      await runWaiting(world, driver);
      expect((await world.call('GET', `/models/${id}`)).body).toMatchObject({ state: 'scored' });
    });

    it('gives one sandbox the readable rows and then another one the hidden rows', () => {
      const started = driver.started.map(({ data }, place) => [data, [...containers[place]!].toSorted()]);
      const readable = [mark('open'), mark('shown')];
      const hidden = [mark('first'), mark('second')];
      // each is followed by a fresh container for the repetition; the null model does not start, as
      // the fake driver has no engine
      expect(started).toEqual([
        ['readable' satisfies SandboxData, readable],
        ['readable', readable],
        ['hidden' satisfies SandboxData, hidden],
        ['hidden', hidden],
      ]);
    });

    it('tells everybody its answers to public examples, and with them nothing hidden', async () => {
      const { status, body } = await world.call('GET', `/models/${id}/datasets/open/examples?limit=100`);
      expect(status).toBe(200);
      expect(body.items).toHaveLength(EXAMPLES);
      const text = JSON.stringify(body);
      expect(text).toContain(`seen ${mark('open')}`);
      expect(text).not.toContain(mark('first'));
      expect(text).not.toContain(mark('second'));
    });

    it('repeats some examples of both kinds', async () => {
      const { body } = await world.call('GET', `/models/${id}`);
      const readable = Math.ceil(2 * EXAMPLES * 0.05);
      expect(body.repeatability.compared).toBeGreaterThanOrEqual(2 * readable);
    });
  });

  describe('once one of two hidden datasets is published', () => {
    const containers: Set<string>[] = [];
    const driver = new FakeSandboxDriver(() => memorising(containers));
    let id: string;
    let other: string;
    const answersOf = (token?: string) =>
      world.call('GET', `/models/${id}/datasets/first/examples?limit=100`, { token });
    const show = async (visibility: string) => {
      const path = '/tasks/riddles/datasets/first';
      expect((await world.call('PATCH', path, { token: owner, body: { visibility } })).status).toBe(200);
    };
    beforeAll(async () => {
      [id, other] = [await submitted('Published'), await submitted('Other')];
      await runWaiting(world, driver);
      await show('public');
    });
    afterAll(() => show('hidden'));

    it('keeps the answers to it from all but the owner of the task, as they may carry the other', async () => {
      for (const token of [undefined, builder]) {
        expect(await answersOf(token)).toMatchObject({ status: 403, body: { code: 'answers_withdrawn' } });
        const pair = `a=${id}&b=${other}&dataset=first`;
        for (const path of [`compare?${pair}&examples=true`, `compare/examples?${pair}`]) {
          const { status, body } = await world.call('GET', `/tasks/riddles/${path}`, { token });
          expect([path, status, body.code]).toEqual([path, 403, 'answers_withdrawn']);
        }
      }
      const { status, body } = await answersOf(owner);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain(mark('second'));
    });

    it('says so of the model, whose scores stay', async () => {
      const { body } = await world.call('GET', `/models/${id}`);
      const found = (body.evaluations as Shown[]).filter(({ perturbation }) => !perturbation);
      expect(found.map(({ dataset, answersWithdrawn = false }) => [dataset, answersWithdrawn])).toEqual([
        ['open', false],
        ['shown', false],
        ['first', true],
        ['second', false],
      ]);
      for (const { metrics } of found) expect(metrics).toHaveProperty('exact_match');
    });

    it('opens them once the model has run again, without the other', async () => {
      const before = driver.started.length;
      expect((await world.call('POST', `/models/${id}/rerun`, { token: builder })).status).toBe(202);
      await runWaiting(world, driver);

      expect(driver.started.slice(before).map(({ data }) => data)).toEqual(['readable', 'readable']);
      const { status, body } = await answersOf();
      expect(status).toBe(200);
      expect(JSON.stringify(body.items)).toContain(mark('first'));
      expect(JSON.stringify(body.items)).not.toContain(mark('second'));
      expect((await world.call('GET', `/models/${id}`)).body).toMatchObject({ state: 'scored' });
      // the answers of the other model are still withdrawn
      for (const pair of [`a=${id}&b=${other}`, `a=${other}&b=${id}`]) {
        const compared = await world.call('GET', `/tasks/riddles/compare/examples?${pair}&dataset=first`);
        expect(compared).toMatchObject({ status: 403, body: { code: 'answers_withdrawn' } });
      }
      const again = await world.call('POST', `/models/${id}/rerun`, { token: builder });
      expect(again.body).toMatchObject({ code: 'nothing_to_rerun' });
    });

    it('withdraws what it has opened where the dataset is hidden again', async () => {
      const log = async () => (await world.call('GET', `/models/${id}/logs`, { token: builder })).body;
      expect(await log()).toEqual({ log: OUTPUT });
      await show('hidden');
      expect(await log()).toEqual({ log: '', withheldBytes: Buffer.byteLength(OUTPUT) });
      expect((await answersOf()).body).toMatchObject({ code: 'examples_hidden' });
      // this container had seen the dataset as well
      const open = await world.call('GET', `/models/${id}/datasets/open/examples`);
      expect(open.status).toBe(200);
      await show('public');
    });
  });

  describe('of a model that fails', () => {
    const said = (data: SandboxData) => `what a model wrote about ${data} data\n`;
    /** Returns a container that responds with `deed` to rows of the dataset `name`. */
    function failing(name: Name, deed: FakeModel['reply'], starts: FakeModel['start'] = () => 0): FakeModel {
      let output = 'loading\n';
      const answers = fakeModel.answers((request) => ({
        predictions: (request as { instances: Instance[] }).instances.map(() => 'a reply'),
      }));
      return {
        start: starts,
        reply: (body, signal) => {
          const data = body.toString().toLowerCase().includes(mark('second')) ? 'hidden' : 'readable';
          output = `loading\n${said(data)}`;
          return body.toString().toLowerCase().includes(mark(name)) ? deed(body, signal) : answers.reply(body, signal);
        },
        get output() {
          return output;
        },
      };
    }

    async function failed(name: string, model: () => FakeModel) {
      const id = await submitted(name);
      await runWaiting(world, new FakeSandboxDriver(model));
      // a model that failed before its first score is private to its owner
      const { body } = await world.call('GET', `/models/${id}`, { token: builder });
      const { body: log } = await world.call('GET', `/models/${id}/logs`, { token: builder });
      return { body, log };
    }
    const states = (body: { readonly evaluations: readonly Shown[] }) =>
      body.evaluations
        .filter(({ perturbation }) => !perturbation)
        .map(({ dataset, state }) => `${dataset} ${state}`)
        .toSorted();

    it('tells of hidden data the code alone, and of the log its length', async () => {
      const { body, log } = await failed('Exits', () => failing('second', () => ({ kind: 'exited', code: 77 })));

      expect(body.failure).toMatchObject({ code: 'model_exited', fault: 'model' });
      expect(body.failure.message).not.toMatch(/\d/);
      expect(states(body)).toEqual(['first failed', 'open scored', 'second failed', 'shown scored']);
      const hidden = Buffer.byteLength(`loading\n${said('hidden')}`);
      expect(log).toEqual({ log: `loading\n${said('readable')}`, withheldBytes: hidden });
    });

    it('tells the same whatever goes wrong with answers to hidden data', async () => {
      const messages = new Set<string>();
      for (const predictions of [[1], [{ odd: 'secret' }], Array(64).fill({ text: null })]) {
        const deed = () => Buffer.from(JSON.stringify({ predictions }));
        const { body } = await failed(`Bad ${predictions.length} ${JSON.stringify(predictions[0])}`, () =>
          failing('second', deed),
        );
        messages.add((body.failure.message as string).replace(body.failure.code as string, 'code'));
      }
      expect(messages.size).toBe(1);
    });

    it('tells all of readable data, and is asked about no hidden data then', async () => {
      const { body, log } = await failed('Exits early', () => failing('open', () => ({ kind: 'exited', code: 77 })));
      expect(body.failure.message).toMatch(/exited with code 77/);
      expect(log).toEqual({ log: `loading\n${said('readable')}` });
    });

    it('tells nothing of a start with hidden data', async () => {
      let starts = 0;
      const refuses: FakeModel['start'] = ({ data }) =>
        data === 'hidden' ? { kind: 'exited', code: 100 + ++starts } : 0;
      const { body, log } = await failed('Starts once', () => failing('second', () => Buffer.from(''), refuses));
      expect(body.failure.code).toBe('model_exited');
      expect(body.failure.message).not.toMatch(/\d/);
      expect(log).toEqual({ log: `loading\n${said('readable')}`, withheldBytes: Buffer.byteLength('loading\n') });
      expect(states(body)).toEqual(['first failed', 'open scored', 'second failed', 'shown scored']);
    });
  });
});

interface Shown {
  readonly dataset: string;
  readonly perturbation?: string;
  readonly state: string;
  readonly answersWithdrawn?: boolean;
  readonly metrics: object;
}
