import { Module } from '@nestjs/common';
import { RoundsModule } from '../rounds/rounds.module.js';
import { CrowdLinksController } from './crowd-links.controller.js';
import { CrowdPageController } from './crowd-page.controller.js';
import { CrowdSessionsController } from './crowd-sessions.controller.js';

@Module({
  imports: [RoundsModule],
  // the page comes last, because its route matches the most paths
  controllers: [CrowdLinksController, CrowdSessionsController, CrowdPageController],
})
export class CrowdRoutesModule {}
