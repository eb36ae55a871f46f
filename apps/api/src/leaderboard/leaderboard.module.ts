import { LeaderboardService, PromotionsService } from '@assay/leaderboard';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { LeaderboardController } from './leaderboard.controller.js';

@Module({
  imports: [TasksModule],
  controllers: [LeaderboardController],
  providers: [LeaderboardService, PromotionsService],
  exports: [LeaderboardService],
})
export class LeaderboardModule {}
