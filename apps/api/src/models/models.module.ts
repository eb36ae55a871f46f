import { ApplicationModule } from '@assay/application';
import { AnsweredExamplesService } from '@assay/leaderboard';
import { ModelsService, UserStorageService } from '@assay/submissions';
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SigningKey } from '../exports/signing-key.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ArtifactReception } from './artifact-reception.service.js';
import { ModelAnswersController } from './model-answers.controller.js';
import { ModelEvents } from './model-events.service.js';
import { ModelFollowers } from './model-followers.js';
import { ModelViews } from './model-views.service.js';
import { ModelsController } from './models.controller.js';
import { OwnModelsController } from './own-models.controller.js';
import { QuotaController } from './quota.controller.js';
import { StorageUses } from './storage-uses.js';

@Module({
  imports: [ApplicationModule, AuthModule, TasksModule],
  controllers: [ModelsController, ModelAnswersController, OwnModelsController, QuotaController],
  providers: [
    ModelsService,
    UserStorageService,
    StorageUses,
    ArtifactReception,
    ModelEvents,
    ModelFollowers,
    ModelViews,
    SigningKey,
    AnsweredExamplesService,
  ],
  exports: [ModelsService, UserStorageService, StorageUses, ModelViews, SigningKey, AnsweredExamplesService],
})
export class ModelsModule {}
