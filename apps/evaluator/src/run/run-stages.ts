import { failure } from '@assay/contracts/models';
import { failRun } from '@assay/evaluation/outcomes';
import { type RunLease, RunRepository } from '@assay/evaluation/runs';
import type { SandboxDriver } from '@assay/sandbox';
import type { PlatformImage } from '@assay/sandbox/docker';
import type { BlobStore } from '@assay/storage';
import type { EntityManager } from '@mikro-orm/postgresql';
import { containerAdmission } from '../admission/container-admission.js';
import { readingSeconds, type RunMaterial, type RunStages, withinDeadline } from '@assay/evaluation/execution';
import { onnxAdmission } from '../admission/onnx-admission.js';
import type { OwnersStorage } from '../admission/unpacked-limit.js';
import { StoredModelImages } from '../admission/stored-model-images.js';
import { measuringLocks, type MeasuringLocks } from '../host/measuring-locks.js';
import { LatencyFloors } from './latency/latency-floors.js';
import { MeasuresRun } from './latency/measures-run.js';
import type { ModelImages } from './session/model-images.js';
import { nullModel } from './session/null-model.js';
import { ProgressReports } from './session/progress-reports.js';
import { SandboxRun } from './sandbox-run.js';

export interface RunStagesParts {
  readonly em: EntityManager;
  readonly driver: SandboxDriver;
  readonly runner: () => Promise<PlatformImage>;
  readonly blobs: BlobStore;
  readonly workFolder: string;
  /** Storage quotas that admitted artifacts count towards; default: unlimited. */
  readonly storage?: OwnersStorage;
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
  const container = containerAdmission(parts);
  const onnx = onnxAdmission(parts);
  const locks = parts.locks ?? measuringLocks();
  const images = parts.images ?? new StoredModelImages(parts);
  const { retakes, patienceSeconds } = parts.measuring ?? MEASURING;
  const contended = retakes > 0 ? 'taken again' : 'kept';
  const floors = new LatencyFloors({ driver: parts.driver, nullModel: nullModel(parts), contended });

  return {
    admission: withinDeadline(
      (lease, material, signal) => (material.artifact.kind === 'onnx' ? onnx : container)(lease, material, signal),
      parts.readingSeconds ?? readingSeconds,
    ),
    evaluation: runInSandbox,
    measures: (lease, material, signal) => {
      const isDue = () => new RunRepository(parts.em.fork()).hasWaited(lease.runId, patienceSeconds);
      const othersWait = () => new RunRepository(parts.em.fork()).evaluationsWait();
      return new MeasuresRun(
        { ...parts, locks, images, floors, retakes, isDue, othersWait },
        lease,
        material,
        signal,
      ).take();
    },
  };

  async function runInSandbox(lease: RunLease, material: RunMaterial, signal: AbortSignal): Promise<void> {
    const { image } = material.artifact;
    if (!image) return failRun(lease, failure('platform_failed', 'The artifact was admitted without an image.'));
    const progress = new ProgressReports(parts.em, lease.scope);
    await new SandboxRun({ ...parts, locks, images, progress, floors, retakes }, lease, material, signal).fill(image);
  }
}
