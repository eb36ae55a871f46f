import { Module } from '@nestjs/common';
import { CollectionNumbersController } from './collection-statistics.controller.js';
import { OverviewController } from './overview.controller.js';

@Module({
  controllers: [CollectionNumbersController, OverviewController],
})
export class CollectionStatisticsModule {}
