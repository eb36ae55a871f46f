import {
  AnnotatorBoardService,
  BadgesService,
  ConsentsService,
  NotificationsService,
  OwnExamplesService,
  ProfilesService,
} from '@assay/collection';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { AnnotatorsController } from './annotators.controller.js';
import { ConsentController } from './consent.controller.js';
import { NotificationsController } from './notifications.controller.js';
import { OwnExamplesController } from './own-examples.controller.js';
import { ProfilesController } from './profiles.controller.js';

/** Who takes part in collecting examples. */
@Module({
  imports: [TasksModule],
  controllers: [
    ConsentController,
    ProfilesController,
    OwnExamplesController,
    AnnotatorsController,
    NotificationsController,
  ],
  providers: [
    ConsentsService,
    ProfilesService,
    BadgesService,
    OwnExamplesService,
    AnnotatorBoardService,
    NotificationsService,
  ],
  exports: [ConsentsService],
})
export class PeopleModule {}
