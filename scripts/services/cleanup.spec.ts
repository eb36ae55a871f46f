import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Cleanup } from './cleanup.js';
import { Progress } from './progress.js';

describe('the cleanup of a script', () => {
  let cleanup: Cleanup;
  let text: string;

  beforeEach(() => {
    text = '';
    cleanup = new Cleanup('assay-cleanup-', new Progress((more) => (text += more)));
  });
  afterEach(() => cleanup.run());

  it('runs the steps in reverse order, then removes the folder', async () => {
    const done: string[] = [];
    const step = (name: string) => () => {
      done.push(`${name} ${existsSync(cleanup.directory) ? 'with' : 'without'} the folder`);
      return Promise.resolve();
    };
    writeFileSync(join(cleanup.directory, 'log'), 'text');
    cleanup.add(step('first'));
    cleanup.add(step('second'));

    await cleanup.run();

    expect(done).toEqual(['second with the folder', 'first with the folder']);
    expect(existsSync(cleanup.directory)).toBe(false);
    expect(text).toBe('');
  });

  it('runs each step once, however often it is called', async () => {
    let count = 0;
    cleanup.add(() => {
      count++;
      return Promise.resolve();
    });

    expect(cleanup.started).toBe(false);
    const first = cleanup.run();
    expect(cleanup.started).toBe(true);
    await Promise.all([first, cleanup.run()]);

    expect(count).toBe(1);
  });

  it('reports a step that fails and runs the others', async () => {
    let stopped = false;
    cleanup.add(() => {
      stopped = true;
      return Promise.resolve();
    });
    cleanup.add(() => Promise.reject(new Error('the engine does not stop')));

    await cleanup.run();

    expect(text).toBe('Cleanup failed: the engine does not stop\n');
    expect(stopped).toBe(true);
    expect(existsSync(cleanup.directory)).toBe(false);
  });
});
