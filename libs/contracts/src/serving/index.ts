// For: target models and their answers.
export {
  AskModel,
  Explanation,
  ModelAnswer,
  MOST_WEIGHTS,
  DeploymentProgress,
  DeploymentReply,
  DeploymentRequest,
  type DeploymentState,
  type DeploymentStep,
  Serving,
} from './deployment.js';
