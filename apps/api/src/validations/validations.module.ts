import { OwnerDecisionsService, ValidationsService, ValidatorFigures } from '@assay/collection';
import { Module } from '@nestjs/common';
import { RoundsModule } from '../rounds/rounds.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ValidationsController } from './validations.controller.js';
import { ValidatorsController } from './validators.controller.js';

/** Provides the validation of examples by other people. */
@Module({
  imports: [TasksModule, RoundsModule],
  controllers: [ValidationsController, ValidatorsController],
  providers: [ValidationsService, OwnerDecisionsService, ValidatorFigures],
  exports: [ValidationsService, OwnerDecisionsService],
})
export class ValidationsModule {}
