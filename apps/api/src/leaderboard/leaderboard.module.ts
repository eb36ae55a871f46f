import {
  BoardMistakes,
  BoardResamples,
  HistoryService,
  LeaderboardService,
  PromotionsService,
  SavedBoardsService,
} from '@assay/leaderboard';
import { Module } from '@nestjs/common';
import { LiveModule } from '../serving/live.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { HistoryController } from './history.controller.js';
import { LeaderboardController } from './leaderboard.controller.js';
import { SavedBoardsController } from './saved-boards.controller.js';

@Module({
  imports: [TasksModule, LiveModule],
  controllers: [LeaderboardController, HistoryController, SavedBoardsController],
  providers: [BoardMistakes, BoardResamples, HistoryService, LeaderboardService, PromotionsService, SavedBoardsService],
  exports: [LeaderboardService],
})
export class LeaderboardModule {}
