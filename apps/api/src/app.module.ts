import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { AuditEntries } from './administration/audit-entries.js';
import { AuditProtection } from './administration/audit-protection.js';
import { AuditController } from './administration/audit.controller.js';
import { ManagedUserRepository } from './administration/managed-user.repository.js';
import { OperationController } from './administration/operation.controller.js';
import { StorageReports } from './administration/storage-report.js';
import { InvitationsController } from './administration/invitations.controller.js';
import { UsersController } from './administration/users.controller.js';
import { WorkUnderWay } from './administration/work-under-way.js';
import { AnnotationsController } from './annotations/annotations.controller.js';
import { apiDatabase } from './api-database.js';
import { AuthController } from './auth/auth.controller.js';
import { AuthModule } from './auth/auth.module.js';
import { MailConfirmationController } from './auth/mail-confirmation.controller.js';
import { ProviderController } from './auth/provider.controller.js';
import { SessionsController } from './auth/sessions.controller.js';
import {
  CollectionNumbersController,
  OverviewController,
} from './collection-statistics/collection-statistics.controller.js';
import { PlanningController } from './collection-statistics/planning.controller.js';
import { CompareController } from './compare/compare.controller.js';
import { ContextsModule } from './contexts.module.js';
import { CrowdLinksController } from './crowds/crowd-links.controller.js';
import { CrowdPageController } from './crowds/crowd-page.controller.js';
import { CrowdSessionsController } from './crowds/crowd-sessions.controller.js';
import { DatasetArtefactsController } from './datasets/dataset-artefacts.controller.js';
import { DatasetShiftController } from './datasets/dataset-shift.controller.js';
import { DatasetsController } from './datasets/datasets.controller.js';
import { PerturbationsController } from './datasets/perturbations.controller.js';
import { DeploymentLeases } from './evaluators/deployment-leases.service.js';
import { EvaluatorGatewayController } from './evaluators/evaluator-gateway.controller.js';
import { EvaluatorGateway } from './evaluators/evaluator-gateway.service.js';
import { EvaluatorLeasesController } from './evaluators/evaluator-leases.controller.js';
import { EvaluatorLeases } from './evaluators/evaluator-leases.service.js';
import { EvaluatorsController } from './evaluators/evaluators.controller.js';
import { GatewayStores } from './evaluators/gateway-stores.js';
import { HeldDeploymentsController } from './evaluators/held-deployments.controller.js';
import { HeldDeployments } from './evaluators/held-deployments.service.js';
import { HeldRunsController } from './evaluators/held-runs.controller.js';
import { HeldRuns } from './evaluators/held-runs.service.js';
import { UploadedAnswers } from './evaluators/uploaded-answers.js';
import { Environment } from './environment.js';
import { DatasetExportsController } from './exports/dataset-exports.controller.js';
import { ExportsController } from './exports/exports.controller.js';
import { ModelExports } from './exports/model-exports.service.js';
import { SignedResults } from './exports/signed-results.service.js';
import { FoundationModule } from './foundation.module.js';
import { HealthController } from './health/health.controller.js';
import { ReadinessChecks } from './health/readiness.js';
import { HistoryController } from './leaderboard/history.controller.js';
import { LeaderboardController } from './leaderboard/leaderboard.controller.js';
import { SavedBoardsController } from './leaderboard/saved-boards.controller.js';
import { ArtifactReception } from './models/artifact-reception.service.js';
import { ModelAnswersController } from './models/model-answers.controller.js';
import { ModelEvents } from './models/model-events.service.js';
import { ModelFollowers } from './models/model-followers.js';
import { ModelViews } from './models/model-views.service.js';
import { ModelsController } from './models/models.controller.js';
import { OwnModelsController } from './models/own-models.controller.js';
import { QuotaController } from './models/quota.controller.js';
import { RetiredKeys } from './models/retired-keys.js';
import { StorageUses } from './models/storage-uses.js';
import { ServiceGauges } from './observability/service-gauges.js';
import { AccountController } from './people/account.controller.js';
import { AnnotatorsController } from './people/annotators.controller.js';
import { ConsentController } from './people/consent.controller.js';
import { NotificationsController } from './people/notifications.controller.js';
import { OwnExamplesController } from './people/own-examples.controller.js';
import { ProfilesController } from './people/profiles.controller.js';
import { WebhooksController } from './people/webhooks.controller.js';
import { AnnotationExportsController } from './releases/annotation-exports.controller.js';
import { DataCardsController } from './releases/data-cards.controller.js';
import { ArrivingLines } from './rounds/arriving-lines.js';
import { RoundDataController } from './rounds/round-data.controller.js';
import { RoundsController } from './rounds/rounds.controller.js';
import { SearchController } from './search/search.controller.js';
import { SearchRepository } from './search/search.repository.js';
import { LiveModule } from './serving/live.module.js';
import { ModelQuestionsController } from './serving/model-questions.controller.js';
import { ChangePreviewController } from './tasks/change-preview.controller.js';
import { ReadyTasksController } from './tasks/ready-tasks.controller.js';
import { SubmittersController } from './tasks/submitters.controller.js';
import { TaskChecksController } from './tasks/task-checks.controller.js';
import { TaskViewRepository } from './tasks/task-view.repository.js';
import { TasksController } from './tasks/tasks.controller.js';
import { ValidationsController, ValidatorsController } from './validations/validations.controller.js';

/** The routes of all resources, in the order of the API documentation, and what serves them. */
@Module({
  imports: [
    FoundationModule,
    MikroOrmModule.forRootAsync({
      driver: PostgreSqlDriver,
      inject: [Environment],
      // `separateRequests` creates the contexts of requests
      useFactory: (environment: Environment) => ({ ...apiDatabase(environment), registerRequestContext: false }),
    }),
    ContextsModule,
    AuthModule,
    LiveModule,
  ],
  controllers: [
    HealthController,
    AuthController,
    SessionsController,
    ProviderController,
    MailConfirmationController,
    TasksController,
    SubmittersController,
    ChangePreviewController,
    TaskChecksController,
    ReadyTasksController,
    LeaderboardController,
    HistoryController,
    SavedBoardsController,
    DatasetArtefactsController,
    DatasetShiftController,
    DatasetsController,
    PerturbationsController,
    ModelsController,
    ModelAnswersController,
    OwnModelsController,
    QuotaController,
    RoundsController,
    RoundDataController,
    CollectionNumbersController,
    PlanningController,
    OverviewController,
    CompareController,
    ExportsController,
    DatasetExportsController,
    ValidationsController,
    ValidatorsController,
    AnnotationsController,
    ConsentController,
    ProfilesController,
    OwnExamplesController,
    AnnotatorsController,
    NotificationsController,
    WebhooksController,
    AccountController,
    AnnotationExportsController,
    DataCardsController,
    ModelQuestionsController,
    CrowdLinksController,
    CrowdSessionsController,
    CrowdPageController,
    SearchController,
    EvaluatorsController,
    EvaluatorGatewayController,
    EvaluatorLeasesController,
    HeldRunsController,
    HeldDeploymentsController,
    UsersController,
    InvitationsController,
    OperationController,
    AuditController,
  ],
  providers: [
    ArrivingLines,
    ArtifactReception,
    AuditEntries,
    AuditProtection,
    DeploymentLeases,
    EvaluatorGateway,
    EvaluatorLeases,
    GatewayStores,
    HeldDeployments,
    HeldRuns,
    UploadedAnswers,
    ManagedUserRepository,
    ModelEvents,
    ModelExports,
    ModelFollowers,
    ModelViews,
    ReadinessChecks,
    RetiredKeys,
    SearchRepository,
    ServiceGauges,
    SignedResults,
    StorageReports,
    StorageUses,
    TaskViewRepository,
    WorkUnderWay,
  ],
})
export class AppModule {}
