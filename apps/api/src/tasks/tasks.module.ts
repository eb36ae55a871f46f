import { BenchmarksService, DatasetsService, TasksService } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { TasksController } from './tasks.controller.js';

@Module({
  controllers: [TasksController],
  providers: [TasksService, DatasetsService, BenchmarksService],
  exports: [TasksService, DatasetsService, BenchmarksService],
})
export class TasksModule {}
