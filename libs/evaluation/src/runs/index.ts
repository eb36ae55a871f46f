// For: runs: their states, leases, progress and channel.
export { refusalFor } from './refusal.js';
export { RUN_CHANNEL } from './run-channel.js';
export { LeaseLost, RunLease, RunLeases } from './run-lease.js';
export { liveRunJson, type RunProgress, runView } from './run-progress.js';
export { Run, RUN_TRANSITIONS, type RunScope, type RunStage } from './run.js';
export { RunRepository } from './run.repository.js';
export { scoringKey } from './scoring-key.js';
