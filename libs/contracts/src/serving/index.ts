// For: target models and their answers, and the exchange with the evaluators that serve them.
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
export {
  DeploymentAssignment,
  DeploymentOffer,
  DeploymentOutcome,
  LARGEST_LIVE_MESSAGE,
  LeasedDeploymentView,
  LIVE_PATH,
  LIVE_PING_SECONDS,
  LiveAnswered,
  LiveQuestion,
  MOST_WARM_UP,
  ReportDeployment,
  RequestDeployment,
} from './leased-deployment.js';
export { LiveDifference } from './live-difference.js';
