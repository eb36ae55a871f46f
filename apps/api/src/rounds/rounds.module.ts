import { ContextsService, RoundsService, RoundViews } from '@assay/collection';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { RoundsController } from './rounds.controller.js';

@Module({
  imports: [TasksModule],
  controllers: [RoundsController],
  providers: [RoundsService, RoundViews, ContextsService],
  exports: [RoundsService, RoundViews, ContextsService],
})
export class RoundsModule {}
