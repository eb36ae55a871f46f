import { Module } from '@nestjs/common';
import { ChangePreviewController } from './change-preview.controller.js';
import { ReadyTasksController } from './ready-tasks.controller.js';
import { TaskChecksController } from './task-checks.controller.js';
import { TaskViewRepository } from './task-view.repository.js';
import { TasksController } from './tasks.controller.js';

@Module({
  controllers: [TasksController, ChangePreviewController, TaskChecksController, ReadyTasksController],
  providers: [TaskViewRepository],
})
export class TaskRoutesModule {}
