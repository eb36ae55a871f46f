import type { LeasedRunView } from '@assay/contracts/gateway';
import { failure } from '@assay/contracts/models';
import { readingSeconds, withinDeadline } from '@assay/storage/bytes';
import type { SandboxDriver } from '@assay/sandbox';
import type { PlatformImage } from '@assay/sandbox/docker';
import { admitContainer } from '../admission/container-admission.js';
import { admitBundle } from '../admission/onnx-admission.js';
import { StoredModelImages } from '../admission/stored-model-images.js';
import type { LeasedRun } from '../gateway/leased-run.js';
import { LiveRequests } from '../host/live-requests.js';
import type { MeasuringLocks } from '../host/measuring-locks.js';
import { LatencyFloors } from './latency/latency-floors.js';
import { MeasuresRun } from './latency/measures-run.js';
import type { ModelImages } from './session/model-images.js';
import { nullModel } from './session/null-model.js';
import { SandboxRun } from './sandbox-run.js';

/** The parts that the runs of a host share. */
export interface RunParts {
  readonly driver: SandboxDriver;
  readonly runner: () => Promise<PlatformImage>;
  readonly measuring?: MeasuringSettings;
  /** Folder for temporary files of runs. */
  readonly workFolder: string;
  /** Returns the seconds within which an artifact of `bytes` must be admitted; default: by its size. */
  readonly readingSeconds?: (bytes: number) => number;
  /**
   * Shared by everything that starts models on this host: it caches the most recently used images.
   */
  readonly images?: ModelImages;
  readonly locks: MeasuringLocks;
  /** Default: nobody asks a target model on this host. */
  readonly liveRequests?: LiveRequests;
}

/** Does what a leased run asks for. Failures of the model are reported; errors of the platform are thrown. */
export type RunWork = (run: LeasedRun, signal: AbortSignal) => Promise<void>;

export interface MeasuringSettings {
  /** The number of consecutive remeasurements of costs measured under contention. */
  readonly retakes: number;
  /**
   * Seconds that a repeated measurement waits for a quiet host. After that it is taken anyway, and
   * marked as contended.
   */
  readonly patienceSeconds: number;
}

const MEASURING: MeasuringSettings = { retakes: 3, patienceSeconds: 1800 };

/** Returns the work of this host on containers and ONNX bundles. */
export function runWork(parts: RunParts): Readonly<Record<LeasedRunView['work'], RunWork>> {
  const images = parts.images ?? new StoredModelImages(parts);
  const { retakes, patienceSeconds } = parts.measuring ?? MEASURING;
  const floors = new LatencyFloors({ driver: parts.driver, nullModel: nullModel(parts) });
  const shared = { driver: parts.driver, locks: parts.locks, images, floors, retakes };
  const liveRequests = parts.liveRequests ?? new LiveRequests();
  const secondsFor = parts.readingSeconds ?? readingSeconds;
  return {
    admission: async (run, signal) => {
      const { kind, size } = run.assignment.artifact;
      const seconds = secondsFor(Math.max(size, await run.unpackedLimit()));
      const admit = kind === 'onnx' ? admitBundle : admitContainer;
      await withinDeadline({ seconds, signal, fail: (why) => run.fail(why) }, (inTime) =>
        admit(run, { images, workFolder: parts.workFolder }, inTime),
      );
    },
    evaluation: (run, signal) => {
      const { image } = run.assignment.artifact;
      if (!image) return run.fail(failure('platform_failed', 'The artifact was admitted without an image.'));
      return new SandboxRun(shared, run, signal).fill(image);
    },
    measures: (run, signal) => new MeasuresRun({ ...shared, patienceSeconds, liveRequests }, run, signal).take(),
  };
}
