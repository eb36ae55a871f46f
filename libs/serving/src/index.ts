// For: serving target models to people who write against them.
// Knows: deployments with their leases, the port through which target models answer.
// Must not know: rounds, annotations, HTTP, Docker.
export { answerScore } from './answer-score.js';
export { DeploymentDirectory } from './deployment-directory.js';
export { HeldDeployment } from './held-deployment.js';
export { Deployment, DEPLOYMENT_CHANNEL, DEPLOYMENT_TRANSITIONS, deploymentProgress } from './deployment.js';
export {
  type ConnectedEvaluator,
  DeploymentRepository,
  type KnownDeployment,
  type WantedDeployment,
} from './deployment.repository.js';
export { type Inspection, LivePredictions, type TokenWeight } from './live-predictions.js';
export { occlude } from './occlusion.js';
export { ServingModule } from './serving.module.js';
