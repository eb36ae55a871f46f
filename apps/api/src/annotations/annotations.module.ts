import {
  AnnotationChangesService,
  AnnotationsService,
  AssignmentsService,
  InspectionsService,
} from '@assay/collection';
import { Module } from '@nestjs/common';
import { LiveModule } from '../serving/live.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AnnotationsController } from './annotations.controller.js';

@Module({
  imports: [TasksModule, LiveModule],
  controllers: [AnnotationsController],
  providers: [AssignmentsService, AnnotationsService, AnnotationChangesService, InspectionsService],
  exports: [AnnotationsService],
})
export class AnnotationsModule {}
