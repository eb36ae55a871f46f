import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureCode } from '@assay/contracts/models';
import type { DeploymentReply } from '@assay/contracts/serving';
import {
  fakeModel,
  type FakeModel,
  type FakeReply,
  FakeSandboxDriver,
  type SandboxSpecification,
} from '@assay/sandbox';
import { describe, expect, it, jest } from '@jest/globals';
import { ServedModel } from './served-model.js';

const REQUEST_SECONDS = 0.5;
const WEIGHT = { token: 'good', start: 2, end: 6, weight: 0.7 };

const cheerful = fakeModel.answers(() => ({ predictions: [{ label: 'positive' }] }));

/** A model that does with /explain what `reply` does. */
function explaining(reply: (signal: AbortSignal) => FakeReply | Promise<FakeReply>): FakeModel {
  return {
    ...cheerful,
    reply: (body, signal, path) => (path === '/explain' ? reply(signal) : cheerful.reply(body, signal)),
  };
}

async function served(script: FakeModel): Promise<ServedModel> {
  const specification = { image: 'model' } as SandboxSpecification;
  const driver = new FakeSandboxDriver({ model: script });
  const started = await driver.start(specification, new AbortController().signal);
  if (started.kind !== 'ready') throw new Error(`the model is ${started.kind}`);
  const { sandbox } = started;
  const output = { name: 'label', type: 'label' as const, labels: ['positive', 'negative'] };
  return new ServedModel({ sandbox, output, requestSeconds: REQUEST_SECONDS, slowSeconds: 10 });
}

const explain = async (body: string | Buffer): Promise<DeploymentReply> =>
  (await served(explaining(() => Buffer.from(body)))).explain(['{"text":"a good day"}']);

const explanations = (each: unknown): string => JSON.stringify({ explanations: [each] });
/** Returns a response with as many weights as fit into a megabyte. */
const many = (text: string): string =>
  `{"explanations":[{"text":[${`${text},`.repeat(900_000 / (text.length + 1))}0]}]}`;

describe('what a served model says of its answers', () => {
  it('is reported as it is', async () => {
    const explanation = { text: [WEIGHT], title: [] };
    expect(await explain(explanations(explanation))).toEqual({ kind: 'explanations', explanations: [explanation] });
  });

  it.each<[string, string | Buffer, FailureCode, RegExp]>([
    ['brackets 20,000 deep', '['.repeat(20_000), 'invalid_response', /limit: 64 levels/],
    ['an explanation 70 deep', `{"explanations":${'['.repeat(70)}${']'.repeat(70)}}`, 'invalid_response', /64 levels/],
    ['what is no JSON', '<html>', 'invalid_json', /\/explain is not valid JSON/],
    ['half of its JSON', explanations({ text: [WEIGHT] }).slice(0, -9), 'invalid_json', /not valid JSON/],
    ['a weight that is no number', '{"explanations":[{"text":[{"weight":NaN}]}]}', 'invalid_json', /not valid JSON/],
    ['bytes that are no text', Buffer.alloc(100, 0xff), 'invalid_json', /not valid JSON/],
    ['one for more than was asked', '{"explanations":[{},{}]}', 'invalid_response', /one entry for each instance/],
    ['none', '{"explanations":[]}', 'invalid_response', /one entry for each instance/],
    ['no list', '{"explanations":{"0":{"text":[]}}}', 'invalid_response', /one entry for each instance/],
    ['a weight of infinity', many('{"token":"x","start":0,"end":1,"weight":1e999}'), 'invalid_response', /contract/],
    [
      'of 101 fields',
      explanations(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, []]))),
      'invalid_response',
      /contract/,
    ],
    ['a megabyte of what are no weights', many('1'), 'invalid_response', /container contract/],
    ['more than is read', Buffer.alloc(4 << 20, '['), 'response_too_large', /limit of 976\.6 KiB/],
  ])('is a failure where it is %s', async (_, body, code, message) => {
    expect(await explain(body)).toEqual({
      kind: 'failed',
      failure: expect.objectContaining({ code, fault: 'model', message: expect.stringMatching(message) }),
    });
  });

  it('is looked at until it is wrong, and never read whole where it nests too deep', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      await explain(`${'['.repeat(400_000)}${']'.repeat(400_000)}`);
      expect(Math.max(0, ...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1000);
    } finally {
      parse.mockRestore();
    }
  });

  it.each<[string, (signal: AbortSignal) => FakeReply | Promise<FakeReply>, FailureCode]>([
    ['never ends', () => Buffer.alloc(64 << 20, ' '), 'response_too_large'],
    [
      'never comes',
      (signal) => sleep(60_000, Buffer.alloc(0), { signal, ref: false }).catch(() => Buffer.alloc(0)),
      'request_timeout',
    ],
    ['is deep', () => Buffer.alloc(900_000, '['), 'invalid_response'],
    ['is no JSON', () => Buffer.from('{'), 'invalid_json'],
  ])('fails alone, and in time, where it %s: the model answers as before, and stays', async (_, reply, code) => {
    const model = await served(explaining(reply));
    const tooSlow = jest.fn();
    void model.whenTooSlow().then(tooSlow);
    for (let time = 0; time < 3; time++) {
      const started = performance.now();
      expect(await model.explain(['{"text":"x"}'])).toMatchObject({ kind: 'failed', failure: { code } });
      // a sixth of the time that the model would take, because the test may wait for a processor
      expect(performance.now() - started).toBeLessThan(10_000);
    }
    expect(await model.predict(['{"text":"x"}'])).toMatchObject({ kind: 'answers', answers: [{ text: 'positive' }] });
    expect(tooSlow).not.toHaveBeenCalled();
  });

  it.each([
    ['answers every address with predictions', Buffer.from('{"predictions":[{"label":"positive"}]}')],
    ['answers with a list', Buffer.from('[]')],
    ['answers null', Buffer.from('null')],
    ['knows no such address', { kind: 'status', status: 404, body: '' } as const],
  ])('is nothing where its server %s, which is asked but once', async (_, answer) => {
    const reply = jest.fn(() => answer);
    const model = await served(explaining(reply));
    expect(await model.explain(['{"text":"x"}'])).toEqual({ kind: 'unexplained' });
    expect(await model.explain(['{"text":"x"}'])).toEqual({ kind: 'unexplained' });
    expect(reply).toHaveBeenCalledTimes(1);
  });
});
