import { AnnotationExports, DataCards } from '@assay/collection';
import { Module } from '@nestjs/common';
import { RoundsModule } from '../rounds/rounds.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AnnotationExportsController } from './annotation-exports.controller.js';
import { DataCardsController } from './data-cards.controller.js';

@Module({
  imports: [RoundsModule, TasksModule],
  controllers: [AnnotationExportsController, DataCardsController],
  providers: [AnnotationExports, DataCards],
})
export class ReleasesModule {}
