import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HostLock } from './host-lock.js';

/** Seconds; far less than in the service, so that a test need not wait. */
const SILENT = 0.3;
const never = new AbortController().signal;

describe('HostLock', () => {
  const holders: ChildProcess[] = [];
  const locks: HostLock[] = [];

  afterEach(async () => {
    for (const holder of holders.splice(0)) holder.kill('SIGKILL');
    for (const lock of locks.splice(0)) await lock.release();
  });

  const newName = (): string => `spec-${randomBytes(6).toString('hex')}`;
  const kept = (lock: HostLock): HostLock => {
    locks.push(lock);
    return lock;
  };

  /** Another process that holds the lock as this class would. */
  async function otherHolder(name: string): Promise<ChildProcess> {
    const script = `require('node:net').createServer((socket) => socket.destroy())
      .listen('\\0assay-${name}', () => console.log('held'))`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    holders.push(holder);
    await once(holder.stdout, 'data');
    return holder;
  }

  it('is held by one at a time, and free once that one lets go', async () => {
    const name = newName();
    const first = kept((await HostLock.tryAcquire(name))!);

    expect(await HostLock.tryAcquire(name)).toBeNull();
    expect(await HostLock.isHeld(name)).toBe(true);
    await first.release();
    locks.pop();
    expect(await HostLock.isHeld(name)).toBe(false);
    expect(kept((await HostLock.tryAcquire(name))!)).toBeInstanceOf(HostLock);
  });

  it('ends with the process that holds it', async () => {
    const name = newName();
    const holder = await otherHolder(name);
    expect(await HostLock.tryAcquire(name)).toBeNull();

    holder.kill('SIGKILL');

    kept(await HostLock.acquire(name, never));
  });

  it('passes by a holder that was stopped, and not one that lives', async () => {
    const name = newName();
    const holder = await otherHolder(name);
    for (let look = 0; look < 8; look++) {
      // it may be slow to answer where everything is
      expect(await HostLock.tryAcquire(name, 30)).toBeNull();
      await sleep(SILENT * 125);
    }

    holder.kill('SIGSTOP');
    expect(await HostLock.tryAcquire(name, SILENT)).toBeNull();
    const mine = kept(await HostLock.acquire(name, never, SILENT));

    expect(mine).toBeInstanceOf(HostLock);
    expect(await HostLock.isHeld(name, SILENT)).toBe(true);
  });

  it('is not held by a second one where a silent holder was passed by and has died since', async () => {
    const name = newName();
    const holder = await otherHolder(name);
    holder.kill('SIGSTOP');
    const mine = kept(await HostLock.acquire(name, never, SILENT));
    holder.kill('SIGKILL');
    await once(holder, 'exit');

    expect(await HostLock.tryAcquire(name, SILENT)).toBeNull();
    await mine.release();
    locks.pop();
    kept(await HostLock.acquire(name, never, SILENT));
  });

  it('no longer keeps still who asks whether a silent one holds it', async () => {
    const name = newName();
    (await otherHolder(name)).kill('SIGSTOP');
    expect(await HostLock.isHeld(name, SILENT)).toBe(true);

    for (let look = 0; look < 600 && (await HostLock.isHeld(name, SILENT)); look++) await sleep(20);
    expect(await HostLock.isHeld(name, SILENT)).toBe(false);
  });
});
