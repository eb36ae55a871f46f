import { Module } from '@nestjs/common';
import { RoundsModule } from '../rounds/rounds.module.js';
import { AnnotationExportsController } from './annotation-exports.controller.js';
import { DataCardsController } from './data-cards.controller.js';

@Module({
  imports: [RoundsModule],
  controllers: [AnnotationExportsController, DataCardsController],
})
export class ReleasesModule {}
