// For: datasets, benchmark versions, releases.
export { ActivateBenchmarkVersion, BenchmarkVersionView, TaskChangePreview } from './benchmark-version.js';
export {
  DatasetCheck,
  DatasetName,
  DatasetPut,
  DatasetRole,
  DatasetUse,
  MOST_DATASET_PROBLEMS,
  PatchDataset,
  PerturbationName,
  PerturbedVersionList,
  PerturbedVersionView,
  PutDatasetQuery,
  SHOWN_EXAMPLES,
  Visibility,
} from './dataset.js';
export {
  BenchmarkChange,
  BenchmarkVersionList,
  BenchmarkVersionSummary,
  HistoryQuery,
  HistoryView,
} from './history.js';
export { DataCard, ExportedAnnotation, ExportQuery } from './release.js';
