import { ApplicationModule } from '@assay/application';
import {
  BenchmarksService,
  DatasetsService,
  PerturbationsService,
  PerturbationValidations,
  TasksService,
} from '@assay/tasks';
import { Module } from '@nestjs/common';
import { ChangePreviewController } from './change-preview.controller.js';
import { ReadyTasksController } from './ready-tasks.controller.js';
import { TaskChecksController } from './task-checks.controller.js';
import { TaskViews } from './task-views.service.js';
import { TasksController } from './tasks.controller.js';

@Module({
  imports: [ApplicationModule],
  controllers: [TasksController, ChangePreviewController, TaskChecksController, ReadyTasksController],
  providers: [
    TasksService,
    TaskViews,
    DatasetsService,
    BenchmarksService,
    PerturbationsService,
    PerturbationValidations,
  ],
  exports: [TasksService, DatasetsService, BenchmarksService, PerturbationsService, PerturbationValidations],
})
export class TasksModule {}
