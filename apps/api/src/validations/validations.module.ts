import { OwnerDecisionsService, ValidationsService } from '@assay/collection';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { ValidationsController } from './validations.controller.js';

/** People say whether the examples of others are right. */
@Module({
  imports: [TasksModule],
  controllers: [ValidationsController],
  providers: [ValidationsService, OwnerDecisionsService],
  exports: [ValidationsService, OwnerDecisionsService],
})
export class ValidationsModule {}
