import {
  BenchmarksService,
  DatasetsService,
  PerturbationsService,
  PerturbationValidations,
  TasksService,
} from '@assay/tasks';
import { UserStorageService } from '@assay/submissions';
import { Module } from '@nestjs/common';
import { ReadyTasksController } from './ready-tasks.controller.js';
import { TaskChecksController } from './task-checks.controller.js';
import { TaskViews } from './task-views.service.js';
import { TasksController } from './tasks.controller.js';

@Module({
  controllers: [TasksController, TaskChecksController, ReadyTasksController],
  providers: [
    TasksService,
    TaskViews,
    DatasetsService,
    BenchmarksService,
    PerturbationsService,
    PerturbationValidations,
    UserStorageService,
  ],
  exports: [TasksService, DatasetsService, BenchmarksService, PerturbationsService, PerturbationValidations],
})
export class TasksModule {}
