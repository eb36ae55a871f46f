import type { RunMaterial, RunStages } from '@assay/evaluation/execution';
import { runStages, type RunStagesParts } from '../../../apps/evaluator/src/run/run-stages.js';
import { predictionsStages } from '../../../apps/worker/src/predictions/predictions-stages.js';

/** Returns the stages of all kinds of artifacts, as an evaluator and a worker execute them together. */
export function allStages(parts: RunStagesParts): RunStages {
  const ofModels = runStages(parts);
  const ofFiles = predictionsStages(parts);
  const stagesOf = ({ artifact }: RunMaterial): RunStages => (artifact.kind === 'predictions' ? ofFiles : ofModels);
  return {
    admission: (lease, material, signal) => stagesOf(material).admission(lease, material, signal),
    evaluation: (lease, material, signal) => stagesOf(material).evaluation(lease, material, signal),
    measures: (lease, material, signal) => stagesOf(material).measures(lease, material, signal),
  };
}
