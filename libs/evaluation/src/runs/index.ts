// For: runs: their states, leases, progress and channel.
export { refusalFor } from './refusal.js';
export {
  isAutomatic,
  Run,
  RUN_CHANNEL,
  RUN_PRIORITY,
  RUN_QUEUED_CHANNEL,
  RUN_TRANSITIONS,
  type RunScope,
  type RunStage,
} from './run.js';
export { LeaseLost, type RunClaim, RunLease, RunLeases, unattendedClaim } from './run-lease.js';
export { QueuePlaceRepository, type QueuePlaces } from './queue-place.repository.js';
export { liveRunJson, type RunProgress, runView } from './run-progress.js';
export { runnableCondition, type RunnableOn } from './runnable-on.js';
export { RunningWorkRepository } from './running-work.repository.js';
export { RunRepository } from './run.repository.js';
export { scoresAlike, scoringKey } from './scoring-key.js';
