import { Module } from '@nestjs/common';
import { HistoryController } from './history.controller.js';
import { LeaderboardController } from './leaderboard.controller.js';
import { SavedBoardsController } from './saved-boards.controller.js';

@Module({
  controllers: [LeaderboardController, HistoryController, SavedBoardsController],
})
export class LeaderboardRoutesModule {}
