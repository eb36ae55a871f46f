import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { BundleInspection } from '@assay/sandbox';

/** An archive to be inspected. */
export interface InspectedArchive {
  readonly path: string;
  /** The folder that it is unpacked into. */
  readonly destination: string;
  readonly maxUnpackedBytes: number;
  /** Adds the digest of the bundle, which reads all of its weights. Absent: no digest. */
  readonly digest?: 'computed';
  /** The largest heap of the thread, in MiB (default: 512). */
  readonly heapMebibytes?: number;
}

const HEAP_MEBIBYTES = 512;

const TOO_MUCH_MEMORY: BundleInspection = {
  kind: 'refused',
  code: 'bundle_refused',
  message: 'The bundle takes too much memory to inspect.',
};

/**
 * Inspects an ONNX bundle like `inspectOnnxBundle`, in a thread of its own: 300 KB of a hostile
 * archive take seconds to parse, during which this process would renew no lease.
 * @throws the errors of the file system, and the reason of `signal`
 */
export async function inspectBundle(archive: InspectedArchive, signal: AbortSignal): Promise<BundleInspection> {
  signal.throwIfAborted();
  const worker = new Worker(INSPECTOR.file, {
    ...INSPECTOR.options,
    workerData: archive,
    resourceLimits: { maxOldGenerationSizeMb: archive.heapMebibytes ?? HEAP_MEBIBYTES },
  });
  try {
    return await answerOf(worker, signal);
  } catch (error) {
    await rm(archive.destination, { recursive: true, force: true });
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return TOO_MUCH_MEMORY;
    throw error;
  }
}

async function answerOf(worker: Worker, signal: AbortSignal): Promise<BundleInspection> {
  try {
    const [inspection] = (await once(worker, 'message', { signal })) as [BundleInspection];
    return inspection;
  } finally {
    await worker.terminate();
  }
}

/** The program of the thread. Tests run it from its source. */
const INSPECTOR: { readonly file: string; readonly options: WorkerOptions } = import.meta.filename.endsWith('.ts')
  ? {
      file: join(import.meta.dirname, 'bundle-inspector.ts'),
      options: { execArgv: ['--import', join(import.meta.dirname, '../../../../scripts/typescript.mjs')] },
    }
  : { file: join(import.meta.dirname, 'bundle-inspector.js'), options: {} };
