import { AnnotationExports, DataCards } from '@assay/collection';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { AnnotationExportsController } from './annotation-exports.controller.js';
import { CollectedRounds } from './collected-rounds.js';
import { DataCardsController } from './data-cards.controller.js';

@Module({
  imports: [TasksModule],
  controllers: [AnnotationExportsController, DataCardsController],
  providers: [AnnotationExports, CollectedRounds, DataCards],
})
export class ReleasesModule {}
