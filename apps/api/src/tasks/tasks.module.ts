import {
  BenchmarksService,
  DatasetsService,
  PerturbationsService,
  PerturbationValidations,
  TasksService,
} from '@assay/tasks';
import { Module } from '@nestjs/common';
import { TasksController } from './tasks.controller.js';

@Module({
  controllers: [TasksController],
  providers: [TasksService, DatasetsService, BenchmarksService, PerturbationsService, PerturbationValidations],
  exports: [TasksService, DatasetsService, BenchmarksService, PerturbationsService, PerturbationValidations],
})
export class TasksModule {}
