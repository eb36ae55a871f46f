import { IdentityModule } from '@assay/identity';
import { LeaderboardModule } from '@assay/leaderboard';
import { TasksModule } from '@assay/tasks';
import { Module } from '@nestjs/common';
import {
  AnnotationChangesService,
  AnnotationsService,
  AssignmentsService,
  InspectionsService,
} from './annotating/index.js';
import { CrowdLinks, CrowdSessions } from './crowds/index.js';
import { AnnotatorBoardService, BadgesService, ConsentsService, OwnExamplesService } from './people/index.js';
import { RoundCostsService, RoundPlans } from './planning/index.js';
import { AnnotationExports, DataCards } from './release/index.js';
import { ContextsService, ImportedExamples, RoundProgress, RoundsService, RoundViews } from './rounds/index.js';
import { CollectionStatisticsService, OverviewService, SaturationService, TrendService } from './statistics/index.js';
import { OwnerDecisionsService, ValidationsService, ValidatorFigures } from './validating/index.js';

const SERVICES = [
  AnnotationChangesService,
  AnnotationExports,
  AnnotationsService,
  AnnotatorBoardService,
  AssignmentsService,
  BadgesService,
  CollectionStatisticsService,
  ConsentsService,
  ContextsService,
  CrowdLinks,
  CrowdSessions,
  DataCards,
  ImportedExamples,
  InspectionsService,
  OverviewService,
  OwnerDecisionsService,
  OwnExamplesService,
  RoundCostsService,
  RoundPlans,
  RoundProgress,
  RoundsService,
  RoundViews,
  SaturationService,
  TrendService,
  ValidationsService,
  ValidatorFigures,
];

/**
 * Provides rounds, annotations, validations and crowds. The app provides `CrowdSigner`,
 * `LivePredictions` and `Pseudonyms` globally.
 */
@Module({
  imports: [IdentityModule, LeaderboardModule, TasksModule],
  providers: SERVICES,
  exports: SERVICES,
})
export class CollectionModule {}
