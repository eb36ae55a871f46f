import { CollectionStatisticsService, OverviewService, SaturationService, TrendService } from '@assay/collection';
import { Module } from '@nestjs/common';
import { LeaderboardModule } from '../leaderboard/leaderboard.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { CollectionNumbersController } from './collection-statistics.controller.js';
import { OverviewController } from './overview.controller.js';

@Module({
  imports: [TasksModule, LeaderboardModule],
  controllers: [CollectionNumbersController, OverviewController],
  providers: [CollectionStatisticsService, OverviewService, SaturationService, TrendService],
})
export class CollectionStatisticsModule {}
