import { parentPort } from 'node:worker_threads';
import { coverageOf, type CoverageWork } from './coverage-work.js';

// Computes one part of the coverage bench after the other.
parentPort!.on('message', (work: CoverageWork) => parentPort!.postMessage(coverageOf(work)));
