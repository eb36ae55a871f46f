// For: executing runs: claims, stages, retries.
export { AnswersFile } from './answers-file.js';
export { EvaluationRuns, type RunStages, type StageWork } from './evaluation-runs.js';
export { deadlineSeconds, type PreparedRun, prepareRun } from './prepared-run.js';
export { readMaterial, type RunMaterial } from './run-material.js';
