import type { Evaluator } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { evaluatorsText, registeredText } from './evaluator-text.js';

const fresh: Evaluator = {
  id: '1',
  name: 'gpu-1',
  owner: null,
  state: 'new',
  version: null,
  protocol: null,
  host: null,
  slots: null,
  problem: null,
  lastSeenAt: null,
  running: [],
  createdAt: '2026-11-01T10:00:00.000Z',
};
const seen: Evaluator = {
  ...fresh,
  id: '2',
  name: 'of-ada',
  owner: 'ada',
  state: 'online',
  version: '0.1.0',
  protocol: 1,
  host: { architecture: 'amd64', cpus: 8, memoryBytes: 16 * 2 ** 30, runtimes: ['runc', 'runsc'] },
  slots: 6,
  lastSeenAt: '2026-11-01T10:20:30.000Z',
};

describe('the text of evaluators', () => {
  it('has a line for each, with what it reported', () => {
    const lines = evaluatorsText({ items: [fresh, seen], removed: [], protocols: [1] }).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^gpu-1 +everyone +new +– +– +– +never +– +1$/);
    expect(lines[2]).toMatch(
      /^of-ada +ada +online +0\.1\.0 +6 +amd64, 8 CPUs, 16 GiB, runc, runsc +2026-11-01 10:20 UTC +– +2$/,
    );
  });

  it('says what each runs now, without models that the reader may not see', () => {
    const work = (name: string): Evaluator['running'][number] => ({
      stage: 'evaluation',
      model: { id: name, name, owner: 'ada', task: 'nli' },
      since: '2026-11-01T10:20:00.000Z',
    });
    const hidden = { stage: 'measures', since: '2026-11-01T10:20:00.000Z' } as const;
    const serving = { ...work('bart'), stage: 'serving' } as const;
    const many = ['a', 'b', 'c', 'd', 'e'].map(work);
    const running = [[], [serving, hidden], many];
    const items = running.map((each) => ({ ...seen, running: each }));

    const [title, ...lines] = evaluatorsText({ items, removed: [], protocols: [1] }).split('\n');

    const column = title!.indexOf('runs now');
    expect(lines.map((line) => line.slice(column).replace(/ +2$/, '').trim())).toEqual([
      '–',
      'serving of bart (ada), measurement of a model that you may not see',
      'evaluation of a (ada), evaluation of b (ada), evaluation of c (ada), 2 more',
    ]);
  });

  it.each([0, 3])('names an evaluator whose protocol %i is not supported', (protocol) => {
    const text = evaluatorsText({ items: [fresh, { ...seen, protocol }], removed: [], protocols: [1, 2] });
    expect(text.split('\n').slice(3)).toEqual([
      `of-ada uses version ${protocol} of the protocol, which this server does not support (1, 2). Install it in the version of the server.`,
    ]);
  });

  it('names those that were removed, and says whether a process still uses the token', () => {
    const removed = { id: '3', name: 'gone', owner: null, removedAt: '2026-11-01T10:00:00.000Z', lastUsedAt: null };
    const used = { ...removed, id: '4', name: 'revoked', lastUsedAt: '2026-11-01T11:30:00.000Z' };
    expect(evaluatorsText({ items: [], removed: [removed, used], protocols: [1] }).split('\n')).toEqual([
      'No evaluators are registered. Register one: assay evaluator register NAME',
      'gone was removed on 2026-11-01 10:00 UTC.',
      'revoked was removed on 2026-11-01 10:00 UTC; a process still uses its token, last on 2026-11-01 11:30 UTC. Stop that process.',
    ]);
  });

  it('shows the token of a new one with the commands that start it', () => {
    const token = 'assay_evaluator_secret';
    const text = registeredText({ id: '1', name: 'gpu-1', own: false, token }, 'https://assay.example');
    expect(text).toContain("Registered the evaluator gpu-1 for everyone's tasks.");
    expect(text).toContain(
      [
        '  export ASSAY_URL=https://assay.example ASSAY_EVALUATOR_TOKEN=assay_evaluator_secret',
        '  scripts/evaluator',
        '',
      ].join('\n'),
    );
    expect(registeredText({ id: '1', name: 'gpu-1', own: true, token }, '')).toContain(
      'for models on your tasks: your own, and those whose owners allow it.',
    );
  });
});
