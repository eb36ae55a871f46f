import { mkdir, rm } from 'node:fs/promises';
import type { RunLeases } from '@assay/evaluation/runs';
import { HostLock } from '@assay/persistence/locks';
import { Logger } from '@nestjs/common';
import type { WorkerSettings } from '../worker-settings.js';

/** The name of this worker, which one process of this host has at a time. */
export class WorkerInstance {
  private constructor(private readonly lock: HostLock) {}

  /** Waits until a predecessor of the same name has ended, and removes what it left. */
  static async start({ instance, workFolder }: WorkerSettings, leases: RunLeases): Promise<WorkerInstance> {
    const lock = await HostLock.acquire(`worker-${instance}`, new AbortController().signal);
    await rm(workFolder, { recursive: true, force: true });
    await mkdir(workFolder, { recursive: true, mode: 0o700 });
    const expired = await leases.expirePredecessors();
    if (expired > 0) new Logger(WorkerInstance.name).warn(`expired ${expired} leases of a previous process`);
    return new WorkerInstance(lock);
  }

  async close(): Promise<void> {
    await this.lock.release();
  }
}
