import { failure } from '@assay/contracts/models';
import {
  readingSeconds,
  type RunMaterial,
  type RunStages,
  type StageWork,
  withinDeadline,
} from '@assay/evaluation/execution';
import type { SandboxDriver } from '@assay/sandbox';
import type { PlatformImage } from '@assay/sandbox/docker';
import { admitContainer } from '../admission/container-admission.js';
import { admitBundle } from '../admission/onnx-admission.js';
import { StoredModelImages } from '../admission/stored-model-images.js';
import { DatabaseRun, type ServiceStores } from '../gateway/database-run.js';
import type { LeasedRun } from '../gateway/leased-run.js';
import { measuringLocks, type MeasuringLocks } from '../host/measuring-locks.js';
import { LatencyFloors } from './latency/latency-floors.js';
import { MeasuresRun } from './latency/measures-run.js';
import type { ModelImages } from './session/model-images.js';
import { nullModel } from './session/null-model.js';
import { SandboxRun } from './sandbox-run.js';

export interface RunStagesParts extends ServiceStores {
  readonly driver: SandboxDriver;
  readonly runner: () => Promise<PlatformImage>;
  readonly measuring?: MeasuringSettings;
  /** Returns the seconds within which an artifact must be admitted; default: by its size. */
  readonly readingSeconds?: (material: RunMaterial) => number;
  /**
   * Shared by everything that starts models on this host: it caches the most recently used images.
   */
  readonly images?: ModelImages;
  /** Default: the locks of the host. */
  readonly locks?: MeasuringLocks;
}

export interface MeasuringSettings {
  /** The number of consecutive remeasurements of costs measured under contention. */
  readonly retakes: number;
  /**
   * Seconds that a repeated measurement waits for a quiet host. After that it is taken anyway, and
   * marked as contended.
   */
  readonly patienceSeconds: number;
}

const MEASURING: MeasuringSettings = { retakes: 3, patienceSeconds: 600 };

/** Returns the work of each stage of a container or an ONNX bundle. */
export function runStages(parts: RunStagesParts): RunStages {
  const locks = parts.locks ?? measuringLocks();
  const images = parts.images ?? new StoredModelImages(parts);
  const { retakes, patienceSeconds } = parts.measuring ?? MEASURING;
  const contended = retakes > 0 ? 'taken again' : 'kept';
  const floors = new LatencyFloors({ driver: parts.driver, nullModel: nullModel(parts), contended });
  const shared = { driver: parts.driver, locks, images, floors, retakes };

  const onRun =
    (work: (run: LeasedRun, signal: AbortSignal) => Promise<void>): StageWork =>
    (lease, material, signal) =>
      work(new DatabaseRun(parts, lease, material), signal);
  return {
    admission: withinDeadline(
      onRun((run, signal) => {
        const admit = run.assignment.artifact.kind === 'onnx' ? admitBundle : admitContainer;
        return admit(run, { images, workFolder: parts.workFolder }, signal);
      }),
      parts.readingSeconds ?? readingSeconds,
    ),
    evaluation: onRun((run, signal) => {
      const { image } = run.assignment.artifact;
      if (!image) return run.fail(failure('platform_failed', 'The artifact was admitted without an image.'));
      return new SandboxRun(shared, run, signal).fill(image);
    }),
    measures: onRun((run, signal) => new MeasuresRun({ ...shared, patienceSeconds }, run, signal).take()),
  };
}
