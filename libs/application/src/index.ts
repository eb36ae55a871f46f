// For: use cases, one per file: each combines contexts in one transaction.
// Knows: the contexts and the order in which a use case calls them.
// Must not know: HTTP, SQL, how a result is presented.
export { DeleteAccount } from './accounts/delete-account.js';
export { ExportAccount } from './accounts/export-account.js';
export { ShowPublicProfile } from './accounts/show-public-profile.js';
export { ApplicationModule } from './application.module.js';
export { entities } from './entities.js';
export { ArchiveArtifact } from './models/archive-artifact.js';
export { AskTargetModel } from './models/ask-target-model.js';
export { CancelModel } from './models/cancel-model.js';
export { ChangeLoopConsent } from './models/change-loop-consent.js';
export { DeclareLineage } from './models/declare-lineage.js';
export { PublishModel } from './models/publish-model.js';
export { emptyArtifact, ReceiveArtifact, type ReceivedArtifact } from './models/receive-artifact.js';
export { RerunModel } from './models/rerun-model.js';
export { SupplementModel } from './models/supplement-model.js';
export { WithdrawModel } from './models/withdraw-model.js';
export { NoticeDispatcher } from './notifications/notice-dispatcher.js';
export { WebhookDispatcher } from './notifications/webhook-dispatcher.js';
export { ActivateBenchmark, type ActivatedBenchmark } from './tasks/activate-benchmark.js';
export { ChangeTask } from './tasks/change-task.js';
export { TaskWarnings } from './tasks/task-warnings.js';
export { TransferTask } from './tasks/transfer-task.js';
