import type { RunMaterial, RunStages } from '@assay/evaluation/execution';
import type { AdmittedArtifact } from '../../../apps/evaluator/src/run/session/model-images.js';
import { runStages, type RunStagesParts } from './run-stages.js';
import { predictionsStages } from '../../../apps/worker/src/predictions/predictions-stages.js';

/**
 * Returns the stages of all kinds of artifacts, as an evaluator and a worker execute them together.
 * By default images are not built, because models are scripts.
 */
export function allStages(parts: RunStagesParts): RunStages {
  const images = {
    install: ({ digest }: AdmittedArtifact) => Promise.resolve(digest),
    keep: () => Promise.resolve(),
  };
  const ofModels = runStages({ images, ...parts });
  const ofFiles = predictionsStages(parts);
  const stagesOf = ({ artifact }: RunMaterial): RunStages => (artifact.kind === 'predictions' ? ofFiles : ofModels);
  return {
    admission: (lease, material, signal) => stagesOf(material).admission(lease, material, signal),
    evaluation: (lease, material, signal) => stagesOf(material).evaluation(lease, material, signal),
    measures: (lease, material, signal) => stagesOf(material).measures(lease, material, signal),
  };
}
