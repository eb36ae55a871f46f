import { EvaluationModule } from '@assay/evaluation';
import { IdentityModule } from '@assay/identity';
import { LeaderboardModule } from '@assay/leaderboard';
import { SubmissionsModule } from '@assay/submissions';
import { TasksModule } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { DeleteAccount } from './accounts/delete-account.js';
import { ExportAccount } from './accounts/export-account.js';
import { ShowPublicProfile } from './accounts/show-public-profile.js';
import { RegisterEvaluator } from './evaluators/register-evaluator.js';
import { RemoveEvaluator } from './evaluators/remove-evaluator.js';
import { ArchiveArtifact } from './models/archive-artifact.js';
import { AskTargetModel } from './models/ask-target-model.js';
import { CancelModel } from './models/cancel-model.js';
import { ChangeLoopConsent } from './models/change-loop-consent.js';
import { DeclareLineage } from './models/declare-lineage.js';
import { ModelChanges } from './models/model-changes.js';
import { PublishModel } from './models/publish-model.js';
import { ReceiveArtifact } from './models/receive-artifact.js';
import { RerunModel } from './models/rerun-model.js';
import { SupplementModel } from './models/supplement-model.js';
import { WithdrawModel } from './models/withdraw-model.js';
import { ActivateBenchmark } from './tasks/activate-benchmark.js';
import { ChangeTask } from './tasks/change-task.js';
import { DecideRuntime } from './tasks/decide-runtime.js';
import { TaskWarnings } from './tasks/task-warnings.js';
import { TransferTask } from './tasks/transfer-task.js';

const USE_CASES = [
  ActivateBenchmark,
  ArchiveArtifact,
  AskTargetModel,
  CancelModel,
  ChangeLoopConsent,
  ChangeTask,
  DeclareLineage,
  DeleteAccount,
  ExportAccount,
  PublishModel,
  ReceiveArtifact,
  RegisterEvaluator,
  RemoveEvaluator,
  RerunModel,
  ShowPublicProfile,
  SupplementModel,
  TaskWarnings,
  TransferTask,
  WithdrawModel,
];

/**
 * Provides every use case. The app provides the database, the blob store, the limits and
 * `LivePredictions` globally.
 */
@Module({
  imports: [EvaluationModule, IdentityModule, LeaderboardModule, SubmissionsModule, TasksModule],
  providers: [...USE_CASES, DecideRuntime, ModelChanges],
  exports: USE_CASES,
})
export class ApplicationModule {}
