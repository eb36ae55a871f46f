import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { DatasetsController } from './datasets.controller.js';

@Module({ imports: [TasksModule], controllers: [DatasetsController] })
export class DatasetsModule {}
