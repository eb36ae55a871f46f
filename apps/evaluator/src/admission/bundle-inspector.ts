// The program of a worker thread: see bundle-inspection.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { inspectOnnxBundle } from '@assay/sandbox';
import type { InspectedArchive } from './bundle-inspection.js';

const { path, destination, maxUnpackedBytes } = workerData as InspectedArchive;
parentPort!.postMessage(await inspectOnnxBundle(path, destination, { maxUnpackedBytes }));
