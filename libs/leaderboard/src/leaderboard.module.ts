import { SubmissionsModule } from '@assay/submissions';
import { TasksModule } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { AnsweredExamplesService } from './answers/index.js';
import {
  BoardMistakes,
  BoardResamples,
  ChangePreviews,
  HistoryService,
  LeaderboardPublisher,
  LeaderboardService,
} from './boards/index.js';
import { BoardDifferences, ComparisonService, DatasetDifferences, ModelSpreads } from './comparison/index.js';
import { PromotionsService } from './promotions/index.js';
import { ResultBundles } from './results/index.js';
import { SavedBoardsService } from './saved/index.js';

const SERVICES = [
  AnsweredExamplesService,
  BoardDifferences,
  BoardMistakes,
  BoardResamples,
  ChangePreviews,
  ComparisonService,
  DatasetDifferences,
  HistoryService,
  LeaderboardPublisher,
  LeaderboardService,
  ModelSpreads,
  PromotionsService,
  ResultBundles,
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
