// For: versions of a benchmark, their changes, and boards that are out of date.
export { benchmarkChanges, type BenchmarkContent, type NamedVersion } from './benchmark-changes.js';
export { BenchmarkVersion, type BoardDefinition, comparedTexts } from './benchmark-version.js';
export { boardPart } from './board-part.js';
export { BenchmarksService, type PlannedVersion } from './benchmarks.service.js';
export { BOARD, changedVersions, currentVersions } from './definition-versions.js';
export { supplementsEnd } from './supplements-end.js';
export { markBoardStale, StaleBoard, StaleBoardRepository } from './stale-board.js';
