import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { DatasetExportsController } from './dataset-exports.controller.js';
import { ExportsController } from './exports.controller.js';
import { ModelExports } from './model-exports.service.js';

@Module({
  imports: [ModelsModule],
  controllers: [ExportsController, DatasetExportsController],
  providers: [ModelExports],
})
export class ExportsModule {}
