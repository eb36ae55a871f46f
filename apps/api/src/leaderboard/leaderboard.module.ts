import { BoardResamples, LeaderboardService, PromotionsService, SavedBoardsService } from '@assay/leaderboard';
import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { LeaderboardController } from './leaderboard.controller.js';
import { SavedBoardsController } from './saved-boards.controller.js';

@Module({
  imports: [TasksModule],
  controllers: [LeaderboardController, SavedBoardsController],
  providers: [BoardResamples, LeaderboardService, PromotionsService, SavedBoardsService],
  exports: [LeaderboardService],
})
export class LeaderboardModule {}
