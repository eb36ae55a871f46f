import { Module } from '@nestjs/common';
import { BenchmarksService } from './benchmarks/benchmarks.service.js';
import { DatasetVersionsService } from './datasets/dataset-versions.service.js';
import { DatasetsService } from './datasets/datasets.service.js';
import { PerturbationsService } from './perturbation/perturbations.service.js';
import { PerturbationValidations } from './perturbation/validations.service.js';
import { TasksService } from './tasks.service.js';

const SERVICES = [
  BenchmarksService,
  DatasetsService,
  DatasetVersionsService,
  PerturbationsService,
  PerturbationValidations,
  TasksService,
];

/**
 * Provides tasks, datasets, perturbations and benchmark versions. The app provides `BLOB_STORE` and
 * `CEILINGS` globally.
 */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class TasksModule {}
