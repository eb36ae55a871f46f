import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { appEnvironment } from './app-program.js';

/** MiB. */
const FREED = 64;

/** Frees buffers of 1 MiB, all but a small one that was made after them. Prints the MiB that are resident more than before. */
const program = `
  const { readFileSync } = require('node:fs');
  const resident = () => Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  const buffers = (count) => Array.from({ length: count }, () => Buffer.alloc(2 ** 20, 1));
  const freed = async () => {
    const most = process.memoryUsage().arrayBuffers;
    do { gc(); await new Promise(setImmediate); } while (process.memoryUsage().arrayBuffers > most - 2 ** 20);
    // threads free what was collected, and are done before the next collection
    gc();
  };
  let held = buffers(1);
  held = null;
  freed().then(async () => {
    const before = resident();
    held = buffers(${FREED});
    const small = Buffer.alloc(100_000, 1);
    held = null;
    await freed();
    console.log(resident() - before, small.length);
  });
`;

function retainedBy(environment: Readonly<Record<string, string>>): number {
  const printed = execFileSync(process.execPath, ['--expose-gc', '--eval', program], {
    env: environment,
    timeout: 20_000,
  });
  return Number(String(printed).split(' ')[0]);
}

describe('an evaluator', () => {
  it('gives large buffers back to the system, whatever small was made after them', () => {
    expect(retainedBy({})).toBeGreaterThan(FREED / 2);
    expect(retainedBy(appEnvironment('evaluator'))).toBeLessThan(FREED / 4);
  });
});
