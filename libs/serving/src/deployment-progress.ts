import type { DeploymentProgress, DeploymentStep } from '@assay/contracts/serving';

const WORDS: Readonly<Record<DeploymentStep, string>> = {
  evaluator: 'The model waits for an evaluator that can serve it.',
  image: 'The model is being copied to the host that will serve it.',
  measurement: 'The model waits until a measurement on its host has ended.',
  start: 'The model is starting.',
  again: 'The model stopped and is being restarted.',
};

/** Returns the progress of a deployment, with a message for people. */
export const deploymentProgress = (step: DeploymentStep, since: Date, message = WORDS[step]): DeploymentProgress => ({
  step,
  since: since.toISOString(),
  message,
});
