import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RestartingProcess } from './restarting-process.js';
import { SupervisedProcess } from './supervised-process.js';

describe('a process that is looked after', () => {
  let directory: string;
  const endings: (() => Promise<void>)[] = [];
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'assay-process-'));
  });
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const shell = (name: string, script: string, patience = 5000): SupervisedProcess => {
    const started = new SupervisedProcess({
      name,
      command: '/bin/sh',
      arguments: ['-c', script],
      environment: process.env,
      log: join(directory, `${name}.log`),
      stopSignal: 'SIGTERM',
      patience,
    });
    endings.push(() => started.stop());
    return started;
  };
  const logOf = (name: string): string => readFileSync(join(directory, `${name}.log`), 'utf8');

  it('tells the end of its log when it ends before it is ready', async () => {
    const broken = shell('broken', 'echo no configuration; exit 3');

    await expect(broken.until(() => Promise.resolve(false), 5000)).rejects.toThrow(
      /broken ended with code 3\. The end of .*:\n {2}no configuration/,
    );
  });

  it('kills what does not end when it is asked to, with its children', async () => {
    const stubborn = shell('stubborn', 'trap "" TERM; sleep 60 & echo $!; while true; do sleep 1; done', 100);
    await stubborn.until(() => Promise.resolve(logOf('stubborn') !== ''), 5000);

    await stubborn.stop();

    expect(await stubborn.ended).toBe('was ended by SIGKILL');
    const child = Number(logOf('stubborn'));
    await until(() => !isRunning(child));
  });

  it('starts again when it ends by itself, and says so, but not after it was stopped', async () => {
    const said: string[] = [];
    const kept = new RestartingProcess(shell('short', 'echo once; exit 1'), (text) => said.push(text));
    kept.keep();

    await until(() => logOf('short') === 'once\nonce\n');
    await kept.stop();
    const after = logOf('short');

    expect(said[0]).toContain('short ended with code 1');
    expect(logOf('short')).toBe(after);
  });

  it('has what it left cleared before each start but the first, and starts where that fails', async () => {
    const said: string[] = [];
    let cleared = '';
    const kept = new RestartingProcess(
      shell('untidy', 'echo started; exit 1'),
      (text) => said.push(text),
      () => {
        cleared = logOf('untidy');
        return Promise.reject(new Error('something is left'));
      },
    );
    kept.keep();

    await until(() => logOf('untidy') === 'started\nstarted\n');
    await kept.stop();

    expect(cleared).toBe('started\n');
    expect(said).toContain('something is left');
  });

  it('starts no more when it is stopped while what it left is cleared', async () => {
    const clearing = Promise.withResolvers<undefined>();
    const stopped = Promise.withResolvers<undefined>();
    const kept = new RestartingProcess(
      shell('slow to clear', 'echo started; exit 1'),
      () => undefined,
      () => {
        clearing.resolve(undefined);
        return stopped.promise;
      },
    );
    kept.keep();

    await clearing.promise;
    const stop = kept.stop();
    stopped.resolve(undefined);
    await stop;

    expect(logOf('slow to clear')).toBe('started\n');
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isRunning(pid: number): boolean {
  try {
    // the number may stay until the system's first process has collected it
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
