import { Module } from '@nestjs/common';
import { RoundsModule } from '../rounds/rounds.module.js';
import { ValidationsController } from './validations.controller.js';
import { ValidatorsController } from './validators.controller.js';

/** Provides the validation of examples by other people. */
@Module({
  imports: [RoundsModule],
  controllers: [ValidationsController, ValidatorsController],
})
export class ValidationsModule {}
