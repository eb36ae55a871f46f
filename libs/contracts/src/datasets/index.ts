// For: datasets, benchmark versions, releases.
export {
  ActivateBenchmarkVersion,
  BenchmarkChange,
  BenchmarkVersionList,
  BenchmarkVersionSummary,
  BenchmarkVersionView,
  HistoryQuery,
  HistoryView,
  TaskChangePreview,
} from './benchmark-version.js';
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
export { DataCard, ExportedAnnotation, ExportQuery } from './release.js';
