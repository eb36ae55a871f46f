import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { ModelQuestionsController } from './model-questions.controller.js';

@Module({ imports: [ModelsModule], controllers: [ModelQuestionsController] })
export class QuestionsModule {}
