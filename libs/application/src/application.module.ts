import { EvaluationRequests } from '@assay/evaluation';
import { BoardMistakes, ChangePreviews, PromotionsService } from '@assay/leaderboard';
import { ModelsService, UserStorageService } from '@assay/submissions';
import { BenchmarksService, PerturbationsService, TasksService } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { ArchiveArtifact } from './models/archive-artifact.js';
import { CancelModel } from './models/cancel-model.js';
import { ChangeLoopConsent } from './models/change-loop-consent.js';
import { ModelChanges } from './models/model-changes.js';
import { PublishModel } from './models/publish-model.js';
import { ReceiveArtifact } from './models/receive-artifact.js';
import { RerunModel } from './models/rerun-model.js';
import { WithdrawModel } from './models/withdraw-model.js';
import { ActivateBenchmark } from './tasks/activate-benchmark.js';
import { ChangeTask } from './tasks/change-task.js';
import { TransferTask } from './tasks/transfer-task.js';

const USE_CASES = [
  ActivateBenchmark,
  ArchiveArtifact,
  CancelModel,
  ChangeLoopConsent,
  ChangeTask,
  PublishModel,
  ReceiveArtifact,
  RerunModel,
  TransferTask,
  WithdrawModel,
];

/**
 * Provides every use case. The app that imports it provides the database, the blob store and the
 * limits globally.
 */
@Module({
  providers: [
    ...USE_CASES,
    ModelChanges,
    BenchmarksService,
    BoardMistakes,
    ChangePreviews,
    EvaluationRequests,
    ModelsService,
    PerturbationsService,
    PromotionsService,
    TasksService,
    UserStorageService,
  ],
  exports: USE_CASES,
})
export class ApplicationModule {}
