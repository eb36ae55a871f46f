import { describe, expect, it } from '@jest/globals';
import { withLogFields } from './log-fields.js';
import { StructuredLogger, type StructuredLoggerOptions } from './structured-logger.js';

const TIME = '2030-01-02T03:04:05.000Z';

function logger(options: StructuredLoggerOptions = {}): { lines: string[]; logger: StructuredLogger } {
  const lines: string[] = [];
  return {
    lines,
    logger: new StructuredLogger({ write: (line) => lines.push(line), now: () => new Date(TIME), ...options }),
  };
}

const parsed = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line) as unknown);

describe('StructuredLogger', () => {
  it('writes one JSON line with level, time, context and message', () => {
    const { lines, logger: log } = logger();

    log.log('claimed', 'Runs');

    expect(parsed(lines)).toEqual([{ level: 'info', time: TIME, context: 'Runs', message: 'claimed' }]);
  });

  it('carries the ids of what is going on, nested ones together', () => {
    const { lines, logger: log } = logger();

    withLogFields({ run: 'r1' }, () => withLogFields({ attempt: 2 }, () => log.warn('slow')));
    log.warn('alone');

    expect(parsed(lines)).toEqual([
      { level: 'warn', time: TIME, message: 'slow', run: 'r1', attempt: 2 },
      { level: 'warn', time: TIME, message: 'alone' },
    ]);
  });

  it('keeps the stack of an error, and the fields of an object', () => {
    const { lines, logger: log } = logger();

    log.error(new Error('broken'), 'Runs');
    log.log({ message: 'scored', accuracy: 0.5 });

    expect(parsed(lines)).toMatchObject([
      { message: 'broken', context: 'Runs', stack: expect.stringContaining('structured-logger.spec') },
      { message: 'scored', accuracy: 0.5 },
    ]);
  });

  it('leaves out what is below its level, and survives what JSON cannot say', () => {
    const { lines, logger: log } = logger({ level: 'warn' });

    log.log('unheard');
    log.warn({ message: 'large', count: 1n });

    expect(parsed(lines)).toMatchObject([{ message: 'large', count: '1' }]);
  });

  it('reads well on a terminal', () => {
    const { lines, logger: log } = logger({ format: 'pretty' });

    withLogFields({ run: 'r1' }, () => log.log('claimed', 'Runs'));

    expect(lines).toEqual([`${TIME} info  [Runs] claimed run=r1`]);
  });

  it.each(['json', 'pretty'] as const)('writes one line of %s whatever a text holds', (format) => {
    const { lines, logger: log } = logger({ format });

    log.warn({ message: 'refused\nfake line', name: 'a\r\n\u001b[2Jb' });

    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\u0000-\u001f]/);
    expect(lines[0]).toContain('refused\\nfake line');
  });
});
