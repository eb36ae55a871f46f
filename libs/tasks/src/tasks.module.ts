import { Module } from '@nestjs/common';
import { BenchmarksService } from './benchmarks/index.js';
import { DatasetArtefactsService, DatasetShiftService, DatasetsService, EarlierGoldCounts } from './datasets/index.js';
import { PerturbationsService, PerturbationValidations } from './perturbation/index.js';
import { TaskSubmittersService } from './task-submitters.service.js';
import { TasksService } from './tasks.service.js';

const SERVICES = [
  BenchmarksService,
  DatasetArtefactsService,
  DatasetShiftService,
  DatasetsService,
  EarlierGoldCounts,
  PerturbationsService,
  PerturbationValidations,
  TasksService,
  TaskSubmittersService,
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
