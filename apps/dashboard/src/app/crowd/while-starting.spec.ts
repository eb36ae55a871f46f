import { describe, expect, it } from '@jest/globals';
import { whileStarting } from './while-starting.js';

const STARTS = { code: 'model_starting', status: 503, detail: 'The model is starting.' };
const CLOSED = { code: 'round_closed', status: 409, detail: 'The round is closed.' };

/** A request that fails with each of the problems, then returns `done`. */
const failing = (...problems: object[]) => {
  const left = [...problems];
  return (): Promise<string> => {
    const problem = left.shift();
    return problem ? Promise.reject(new Error('refused', { cause: problem })) : Promise.resolve('done');
  };
};

async function run(request: () => Promise<string>) {
  const reasons: string[] = [];
  const pauses: number[] = [];
  const pause = (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds);
    return Promise.resolve();
  };
  const result = await whileStarting(request, (reason) => reasons.push(reason), pause).catch((error: unknown) => error);
  return { result, reasons, pauses };
}

describe('a request while a model starts', () => {
  it('is repeated every three seconds until it succeeds, and gives the reason', async () => {
    expect(await run(failing(STARTS, STARTS))).toEqual({
      result: 'done',
      reasons: ['The model is starting.', 'The model is starting.'],
      pauses: [3000, 3000],
    });
  });

  it('is not repeated after any other problem', async () => {
    expect(await run(failing(STARTS, CLOSED, STARTS))).toMatchObject({ result: { cause: CLOSED }, pauses: [3000] });
  });

  it('is given up after 100 retries', async () => {
    const { result, pauses } = await run(failing(...Array.from({ length: 101 }, () => STARTS)));
    expect({ result, pauses: pauses.length }).toMatchObject({ result: { cause: STARTS }, pauses: 100 });
  });
});
