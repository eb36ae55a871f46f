// For: use cases, one per file: each combines contexts in one transaction.
// Knows: the contexts and the order in which a use case calls them.
// Must not know: HTTP, SQL, how a result is presented.
export { ApplicationModule } from './application.module.js';
export { ArchiveArtifact } from './models/archive-artifact.js';
export { CancelModel } from './models/cancel-model.js';
export { ChangeLoopConsent } from './models/change-loop-consent.js';
export { PublishModel } from './models/publish-model.js';
export { emptyArtifact, ReceiveArtifact, type ReceivedArtifact } from './models/receive-artifact.js';
export { RerunModel } from './models/rerun-model.js';
export { WithdrawModel } from './models/withdraw-model.js';
export { ActivateBenchmark, type ActivatedBenchmark } from './tasks/activate-benchmark.js';
export { ChangeTask, type TaskPatch } from './tasks/change-task.js';
export { TransferTask } from './tasks/transfer-task.js';
