import { BenchmarkVersion } from './benchmarks/benchmark-version.js';
import { Dataset, DatasetVersion } from './datasets/dataset.js';
import { Round } from './round.js';
import { StaleBoard } from './benchmarks/stale-board.js';
import { Task } from './task.js';

/** The entities of this context. */
export const tasksEntities = [Task, Round, Dataset, DatasetVersion, BenchmarkVersion, StaleBoard];
