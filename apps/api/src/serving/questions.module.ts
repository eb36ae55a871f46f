import { AskTargetModel } from '@assay/application';
import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { LiveModule } from './live.module.js';
import { ModelQuestionsController } from './model-questions.controller.js';

@Module({ imports: [LiveModule, ModelsModule], controllers: [ModelQuestionsController], providers: [AskTargetModel] })
export class QuestionsModule {}
