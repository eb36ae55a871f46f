import type { DeploymentProgress, DeploymentStep } from '@assay/contracts/serving';

const WORDS: Readonly<Record<DeploymentStep, string>> = {
  evaluator: 'The model waits for an evaluator that can serve it.',
  image: 'The model is brought to the host that will serve it.',
  measurement: 'A measurement is under way on its host: the model waits until that has ended.',
  start: 'The model is starting.',
  again: 'The model ended, and is started again.',
};

/** Returns the progress of a deployment, with a message for people. */
export const deploymentProgress = (step: DeploymentStep, since: Date, message = WORDS[step]): DeploymentProgress => ({
  step,
  since: since.toISOString(),
  message,
});
