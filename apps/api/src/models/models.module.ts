import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SigningKey } from '../exports/signing-key.js';
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
  imports: [AuthModule],
  controllers: [ModelsController, ModelAnswersController, OwnModelsController, QuotaController],
  providers: [StorageUses, ArtifactReception, ModelEvents, ModelFollowers, ModelViews, SigningKey],
  exports: [StorageUses, ModelViews, SigningKey],
})
export class ModelsModule {}
