// For: what is evaluated, and by which rules: tasks, dataset versions, rounds, benchmark versions.
// Knows: definitions, examples as files, active versions.
// Must not know: models, runs, scores.
export * from './benchmark-changes.js';
export * from './benchmark-version.js';
export * from './benchmarks.service.js';
export * from './ceilings.js';
export * from './commitment.js';
export * from './croissant.js';
export * from './dataset.js';
export * from './dataset-check.js';
export * from './dataset-intake.js';
export type { DatasetRoom } from './dataset-room.js';
export { badLine, type DatasetFormat, type Placed, recordsOf, UPLOADED_LINE, WRITTEN_LINE } from './dataset-records.js';
export * from './dataset-rows.js';
export * from './dataset-versions.service.js';
export * from './datasets.service.js';
export * from './example.js';
export { parseBounded } from './json-shape.js';
export * from './line-groups.js';
export * from './named-examples.js';
export * from './perturbation/perturbations.service.js';
export * from './perturbation/standing.js';
export * from './perturbation/transforms.js';
export * from './perturbation/validations.service.js';
export * from './round.js';
export * from './stale-board.js';
export * from './task.js';
export * from './tasks.service.js';
export * from './entities.js';
