import { ConsentsService } from '@assay/collection';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { ConsentController } from './consent.controller.js';

/** Who takes part in collecting examples. */
@Module({
  imports: [TasksModule],
  controllers: [ConsentController],
  providers: [ConsentsService],
  exports: [ConsentsService],
})
export class PeopleModule {}
