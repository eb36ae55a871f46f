import { statfs } from 'node:fs/promises';
import { kindsOfBlobs } from '@assay/application/blobs';
import { BLOB_KINDS, type StorageReport } from '@assay/contracts/operations';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { DatabaseRepository } from '../database.repository.js';
import { Environment } from '../environment.js';

const CACHED_MILLISECONDS = 60_000;

type BlobKind = (typeof BLOB_KINDS)[number];

/**
 * Reports disk usage. A report is cached for one minute, because counting reads the whole blob
 * store.
 */
@Injectable()
export class StorageReports {
  private known: { readonly until: number; readonly report: Promise<StorageReport> } | null = null;

  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly environment: Environment,
  ) {}

  get(now: Date): Promise<StorageReport> {
    if (this.known && this.known.until > now.getTime()) return this.known.report;
    const report = this.count(now);
    this.known = { until: now.getTime() + CACHED_MILLISECONDS, report };
    report.catch(() => (this.known = null));
    return report;
  }

  private async count(now: Date): Promise<StorageReport> {
    const em = this.em.fork();
    const { bsize, bavail, blocks } = await statfs(this.environment.home);
    return {
      at: now.toISOString(),
      blobs: await this.countBlobs(await kindsOfBlobs(em)),
      disk: { free: bavail * bsize, total: blocks * bsize },
      database: await new DatabaseRepository(em).bytes(),
    };
  }

  private async countBlobs(kinds: ReadonlyMap<string, BlobKind>): Promise<StorageReport['blobs']> {
    const counts = new Map(BLOB_KINDS.map((kind) => [kind, { kind, count: 0, bytes: 0 }]));
    for await (const { digest, size } of this.blobs.list()) {
      const counted = counts.get(kinds.get(digest) ?? 'other')!;
      counted.count++;
      counted.bytes += size;
    }
    return [...counts.values()];
  }
}
