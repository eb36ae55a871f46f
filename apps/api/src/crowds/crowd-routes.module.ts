import { Module } from '@nestjs/common';
import { RoundsModule } from '../rounds/rounds.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { CrowdLinksController } from './crowd-links.controller.js';
import { CrowdPageController } from './crowd-page.controller.js';
import { CrowdSessionsController } from './crowd-sessions.controller.js';
import { CrowdsModule } from './crowds.module.js';

@Module({
  imports: [CrowdsModule, RoundsModule, TasksModule],
  // the page comes last, because its route matches the most paths
  controllers: [CrowdLinksController, CrowdSessionsController, CrowdPageController],
})
export class CrowdRoutesModule {}
