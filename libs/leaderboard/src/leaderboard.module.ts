import { SubmissionsModule } from '@assay/submissions';
import { TasksModule } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { AnsweredExamplesService } from './answers/answered-examples.service.js';
import { BoardMistakes } from './boards/board-mistakes.js';
import { BoardResamples } from './boards/board-resamples.js';
import { ChangePreviews } from './boards/change-preview.service.js';
import { ComparisonService } from './comparison/comparison.service.js';
import { DatasetDifferences } from './comparison/dataset-differences.js';
import { HistoryService } from './boards/history.service.js';
import { LeaderboardPublisher } from './boards/leaderboard-publisher.js';
import { LeaderboardService } from './boards/leaderboard.service.js';
import { PromotionsService } from './promotions/promotions.service.js';
import { SavedBoardsService } from './saved/saved-boards.service.js';

const SERVICES = [
  AnsweredExamplesService,
  BoardMistakes,
  BoardResamples,
  ChangePreviews,
  ComparisonService,
  DatasetDifferences,
  HistoryService,
  LeaderboardPublisher,
  LeaderboardService,
  PromotionsService,
  SavedBoardsService,
];

/**
 * Provides boards, comparisons and promotions. The app provides `BLOB_STORE` and `Notifications`
 * globally.
 */
@Module({
  imports: [SubmissionsModule, TasksModule],
  providers: SERVICES,
  exports: SERVICES,
})
export class LeaderboardModule {}
