import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { DatasetsController } from './datasets.controller.js';
import { PerturbationsController } from './perturbations.controller.js';

@Module({
  imports: [ModelsModule],
  controllers: [DatasetsController, PerturbationsController],
})
export class DatasetsModule {}
