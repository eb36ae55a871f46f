// For: versions of a benchmark, their changes, and boards that are out of date.
export { benchmarkChanges, type BenchmarkContent, type NamedVersion } from './benchmark-changes.js';
export { BenchmarkVersion } from './benchmark-version.js';
export { BenchmarksService } from './benchmarks.service.js';
export { markBoardStale, StaleBoard, StaleBoardRepository } from './stale-board.js';
