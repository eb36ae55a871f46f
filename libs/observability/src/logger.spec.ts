import { describe, expect, it } from '@jest/globals';
import { createLogger, withLogFields } from './logger.js';

const lines: string[] = [];
const logger = createLogger('log', { write: (line) => lines.push(line) });

/** Returns the lines that `work` logs. */
function logged(work: () => void): unknown[] {
  lines.splice(0);
  work();
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe('createLogger', () => {
  it('writes one JSON line with level, time, context and message', () => {
    expect(logged(() => logger.log('claimed', 'Runs'))).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), context: 'Runs', message: 'claimed' },
    ]);
  });

  it('adds the IDs of the current work, nested ones together', () => {
    const warn = (text: string) => logger.warn(text);

    expect(
      logged(() => {
        withLogFields({ run: 'r1' }, () => withLogFields({ attempt: 2 }, () => warn('slow')));
        warn('alone');
      }),
    ).toEqual([
      { level: 'warn', time: expect.any(String), message: 'slow', run: 'r1', attempt: 2 },
      { level: 'warn', time: expect.any(String), message: 'alone' },
    ]);
  });

  it('writes the stack of an error, and the fields of an object', () => {
    expect(
      logged(() => {
        logger.error(new Error('broken'), 'Runs');
        logger.error({ message: 'not scored', err: new Error('broken') }, 'Runs');
        logger.log({ message: 'scored', accuracy: 0.5 }, 'Runs');
      }),
    ).toMatchObject([
      { message: 'broken', context: 'Runs', err: { stack: expect.stringContaining('logger.spec') } },
      { message: 'not scored', context: 'Runs', err: { message: 'broken' } },
      { message: 'scored', accuracy: 0.5, context: 'Runs' },
    ]);
  });

  it('leaves out what is below its level, and writes fields that JSON has no type for', () => {
    const circular: Record<string, unknown> = { message: 'large', count: 1n };
    circular['self'] = circular;

    expect(
      logged(() => {
        logger.debug('below');
        logger.warn(circular);
      }),
    ).toMatchObject([{ message: 'large', count: 1 }]);
  });

  it('writes one line whatever a text contains', () => {
    const written = logged(() => logger.warn({ message: 'refused\nfake %s line', name: 'a\r\n\u001b[2Jb' }));

    expect(written).toMatchObject([{ message: 'refused\nfake %s line', name: 'a\r\n\u001b[2Jb' }]);
    expect(lines[0]!.trimEnd()).not.toMatch(/[\u0000-\u001f]/);
  });
});
