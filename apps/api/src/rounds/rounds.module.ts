import { ImportedExamples, ContextsService, RoundsService, RoundViews } from '@assay/collection';
import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ArrivingLines } from './arriving-lines.js';
import { RoundDataController } from './round-data.controller.js';
import { RoundsController } from './rounds.controller.js';

@Module({
  imports: [TasksModule, ModelsModule],
  controllers: [RoundsController, RoundDataController],
  providers: [RoundsService, RoundViews, ContextsService, ImportedExamples, ArrivingLines],
  exports: [RoundsService, RoundViews, ContextsService],
})
export class RoundsModule {}
