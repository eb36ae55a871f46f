import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HistoryController } from './history.controller.js';
import { LeaderboardController } from './leaderboard.controller.js';
import { SavedBoardsController } from './saved-boards.controller.js';

@Module({
  imports: [AuthModule],
  controllers: [LeaderboardController, HistoryController, SavedBoardsController],
})
export class LeaderboardRoutesModule {}
