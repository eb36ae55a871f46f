import type { TaskOutput } from '@assay/contracts/tasks';
import type { InvocationLimits, Sandbox } from '@assay/sandbox';
import { describe, expect, it } from '@jest/globals';
import { ModelSession } from './model-session.js';

const KIBIBYTE = 1024;

describe('ModelSession', () => {
  /** A sandbox that answers nothing, and what it was asked with. */
  function asked(): { sandbox: Sandbox; limits: InvocationLimits[]; bodies: string[] } {
    const limits: InvocationLimits[] = [];
    const bodies: string[] = [];
    const invoke: Sandbox['invoke'] = (body, given) => {
      limits.push(given);
      bodies.push(body.toString());
      return Promise.resolve({ kind: 'disconnected', why: 'it only listens' });
    };
    return { sandbox: { invoke } as Sandbox, limits, bodies };
  }

  const instances = (count: number) => Array.from({ length: count }, (_, index) => `{"text":"t${index}"}`);

  it.each<[string, TaskOutput, number]>([
    ['a text', { name: 'summary', type: 'text' }, 64 * KIBIBYTE],
    [
      'a label, with the probability of each,',
      { name: 'label', type: 'label', labels: ['negative', 'good'] },
      KIBIBYTE + 2 * 256 + 6 * ('negative'.length + 'good'.length),
    ],
  ])('lets an answer of %s have 64 KiB and the share of each instance', async (_, output, share) => {
    const { sandbox, limits, bodies } = asked();
    const session = new ModelSession(sandbox, output);

    for (const count of [1, 64]) await session.ask(instances(count), 500);

    expect(limits).toEqual([
      { deadline: 500, responseBytes: 64 * KIBIBYTE + share },
      { deadline: 500, responseBytes: 64 * KIBIBYTE + 64 * share },
    ]);
    expect(JSON.parse(bodies[1]!)).toEqual({ instances: instances(64).map((each) => JSON.parse(each) as unknown) });
  });
});
