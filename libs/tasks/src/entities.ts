import { BenchmarkVersion } from './benchmark-version.js';
import { Dataset, DatasetVersion } from './dataset.js';
import { Round } from './round.js';
import { StaleBoard } from './stale-board.js';
import { Task } from './task.js';

/** The entities of this context. */
export const tasksEntities = [Task, Round, Dataset, DatasetVersion, BenchmarkVersion, StaleBoard];
