// For: what is evaluated, and by which rules: tasks, dataset versions, rounds, benchmark versions.
// Knows: definitions, examples as files, active versions.
// Must not know: models, runs, scores.
export { benchmarkChanges, type BenchmarkContent, type NamedVersion } from './benchmark-changes.js';
export { BenchmarkVersion } from './benchmark-version.js';
export { BenchmarksService } from './benchmarks.service.js';
export { tasksBlobs } from './blob-references.js';
export { type Ceilings, CEILINGS, clampLimits, configuredCeilings, hostCeilings } from './ceilings.js';
export { commitmentTo, publishedDigest, publishedHash, saltedDigest } from './commitment.js';
export { croissant } from './croissant.js';
export { takeDataset } from './dataset-intake.js';
export { badLine, type DatasetFormat, recordsOf, UPLOADED_LINE, WRITTEN_LINE } from './dataset-records.js';
export type { DatasetRoom } from './dataset-room.js';
export { type DatasetRow, datasetRows, datasetRowsAt, DatasetUnreadable } from './dataset-rows.js';
export { DatasetVersionsService } from './dataset-versions.service.js';
export { Dataset, DatasetVersion } from './dataset.js';
export { DatasetsService } from './datasets.service.js';
export { tasksEntities } from './entities.js';
export { inputLines, inputsOf, readExample, readGold, wrongInput } from './example.js';
export { parseBounded } from './json-shape.js';
export { lineGroups, LineTooLong } from './line-groups.js';
export { examplesTitle, type NamedExamples, namedExamples, perturbedName } from './named-examples.js';
export { tasksPersonalData } from './personal-data.js';
export { PerturbationsService } from './perturbation/perturbations.service.js';
export { transformRanks } from './perturbation/standing.js';
export { PerturbationValidations } from './perturbation/validations.service.js';
export { Round, ROUND_TRANSITIONS, type RoundSchema, type RoundSettings } from './round.js';
export { markBoardStale, StaleBoard } from './stale-board.js';
export { StaleBoardRepository } from './stale-board.repository.js';
export { lockTask, Task } from './task.js';
export { TaskRepository } from './task.repository.js';
export { TasksModule } from './tasks.module.js';
export { definitionWith, mayReadExamples, MOST_TASKS, type Owned, ownsTask, TasksService } from './tasks.service.js';
