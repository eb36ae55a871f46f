import { DatasetVersionsService } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { DatasetExportsController } from './dataset-exports.controller.js';
import { ExportsController } from './exports.controller.js';
import { ModelExports } from './model-exports.service.js';

@Module({
  imports: [ModelsModule, TasksModule],
  controllers: [ExportsController, DatasetExportsController],
  providers: [ModelExports, DatasetVersionsService],
})
export class ExportsModule {}
