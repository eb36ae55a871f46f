// The program of a worker thread: see bundle-inspection.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { bundleDigest, inspectOnnxBundle } from '@assay/sandbox';
import type { InspectedArchive } from './bundle-inspection.js';

const { path, destination, maxUnpackedBytes, digest } = workerData as InspectedArchive;
const inspection = await inspectOnnxBundle(path, destination, { maxUnpackedBytes });
const isDigested = inspection.kind === 'admitted' && digest === 'computed';
parentPort!.postMessage(
  isDigested
    ? { ...inspection, bundle: { ...inspection.bundle, digest: bundleDigest(inspection.bundle) } }
    : inspection,
);
