import { ComparisonService, DatasetDifferences } from '@assay/leaderboard';
import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { CompareController } from './compare.controller.js';

@Module({
  imports: [ModelsModule, TasksModule],
  controllers: [CompareController],
  providers: [ComparisonService, DatasetDifferences],
})
export class CompareModule {}
