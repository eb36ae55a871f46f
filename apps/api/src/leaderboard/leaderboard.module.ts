import {
  BoardMistakes,
  BoardResamples,
  ChangePreviews,
  HistoryService,
  LeaderboardService,
  PromotionsService,
  SavedBoardsService,
} from '@assay/leaderboard';
import { Module } from '@nestjs/common';
import { LiveModule } from '../placements/live.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ChangePreviewController } from './change-preview.controller.js';
import { HistoryController } from './history.controller.js';
import { LeaderboardController } from './leaderboard.controller.js';
import { SavedBoardsController } from './saved-boards.controller.js';

@Module({
  imports: [TasksModule, LiveModule],
  controllers: [ChangePreviewController, LeaderboardController, HistoryController, SavedBoardsController],
  providers: [
    ChangePreviews,
    BoardMistakes,
    BoardResamples,
    HistoryService,
    LeaderboardService,
    PromotionsService,
    SavedBoardsService,
  ],
  exports: [LeaderboardService],
})
export class LeaderboardModule {}
