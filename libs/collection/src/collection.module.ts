import { IdentityModule } from '@assay/identity';
import { LeaderboardModule } from '@assay/leaderboard';
import { TasksModule } from '@assay/tasks';
import { Module } from '@nestjs/common';
import { AnnotationChangesService } from './annotating/annotation-changes.service.js';
import { AnnotationsService } from './annotating/annotations.service.js';
import { AssignmentsService } from './annotating/assignments.service.js';
import { InspectionsService } from './annotating/inspections.service.js';
import { CrowdLinks } from './crowds/crowd-links.service.js';
import { CrowdSessions } from './crowds/crowd-sessions.service.js';
import { AnnotatorBoardService } from './people/annotator-board.service.js';
import { BadgesService } from './people/badges.service.js';
import { ConsentsService } from './people/consents.service.js';
import { OwnExamplesService } from './people/own-examples.service.js';
import { AnnotationExports } from './release/annotation-exports.service.js';
import { DataCards } from './release/data-cards.service.js';
import { RoundProgress } from './rounds/closing/round-progress.service.js';
import { ContextsService } from './rounds/contexts.service.js';
import { ImportedExamples } from './rounds/imported-examples.service.js';
import { RoundViews } from './rounds/round-views.service.js';
import { RoundsService } from './rounds/rounds.service.js';
import { CollectionStatisticsService } from './statistics/collection-statistics.service.js';
import { OverviewService } from './statistics/overview.service.js';
import { SaturationService } from './statistics/saturation.service.js';
import { TrendService } from './statistics/trend.service.js';
import { OwnerDecisionsService } from './validating/owner-decisions.service.js';
import { ValidationsService } from './validating/validations.service.js';
import { ValidatorFigures } from './validating/validator-figures.js';

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
