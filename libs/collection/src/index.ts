// For: collecting examples from people against the target models, round after round.
// Knows: rounds, contexts, annotations, validations, participants, deployments of target models.
// Must not know: HTTP, Docker, how a metric is computed.
export { AnnotationChangesService, type ModelNames } from './annotating/annotation-changes.service.js';
export { Annotation } from './annotating/annotation.js';
export { AnnotationsService, type Trial } from './annotating/annotations.service.js';
export { Assignment } from './annotating/assignment.js';
export { AssignmentsService, type HandedOut } from './annotating/assignments.service.js';
export { fooledRuleOf } from './annotating/fooled-rule.js';
export { InspectionsService } from './annotating/inspections.service.js';
export { missingOf } from './annotating/own-fields.js';
export { type PreparedExample, promptOf } from './annotating/prepared-example.js';
export { CrowdLink } from './crowds/crowd-link.js';
export { CrowdLinks, requireOpen } from './crowds/crowd-links.service.js';
export { CrowdSession } from './crowds/crowd-session.js';
export { CrowdSessions, requireUsable } from './crowds/crowd-sessions.service.js';
export { CrowdSigner } from './crowds/crowd-signer.js';
export { collectionEntities } from './entities.js';
export { AccountDeletionService } from './people/account-deletion.service.js';
export { AnnotatorBoardService } from './people/annotator-board.service.js';
export { awardBadges, BadgesService } from './people/badges.service.js';
export { ConsentRecord } from './people/consent-record.js';
export { Consent } from './people/consent.js';
export { ConsentsService } from './people/consents.service.js';
export { requireContentExposure } from './people/content-exposure.js';
export { collectionOf, requireConsent } from './people/eligibility.js';
export { enqueueConfirmations, enqueueMails, notify } from './people/notices.js';
export { NotificationSettings } from './people/notification-settings.js';
export { notificationTitle } from './people/notification-text.js';
export { NotificationsService } from './people/notifications.service.js';
export { OwnExamplesService } from './people/own-examples.service.js';
export { PeopleDispatcher } from './people/people-dispatcher.js';
export { PersonalExportService } from './people/personal-export.service.js';
export { ProfilesService } from './people/profiles.service.js';
export { Pseudonyms } from './people/pseudonyms.js';
export { UserNotification } from './people/user-notification.js';
export { answerScore } from './placements/answer-score.js';
export { type Inspection, LivePredictions, type TokenWeight } from './placements/live-predictions.js';
export { ModelQuestions } from './placements/model-questions.service.js';
export { occlude } from './placements/occlusion.js';
export { type KnownPlacement, PlacementDirectory } from './placements/placement-directory.js';
export { PlacementLease, PlacementLeases, PlacementLost } from './placements/placement-lease.js';
export { placementProgress } from './placements/placement-progress.js';
export { PlacementReconciler } from './placements/placement-reconciler.js';
export { Placement, PLACEMENT_CHANNEL, PLACEMENT_TRANSITIONS } from './placements/placement.js';
export { AnnotationExports, type ExportedSet } from './release/annotation-exports.service.js';
export { cardText } from './release/card-text.js';
export { DataCards } from './release/data-cards.service.js';
export { RoundProgress } from './rounds/closing/round-progress.service.js';
export { Context } from './rounds/context.js';
export { ContextsService } from './rounds/contexts.service.js';
export { ImportedExamples } from './rounds/imported-examples.service.js';
export { writtenInputs } from './rounds/inputs.js';
export { Participation } from './rounds/participation.js';
export { expectOpen, lockRound } from './rounds/round-lock.js';
export { leaveRounds, replaceInRound } from './rounds/round-loop.js';
export { RoundModel } from './rounds/round-model.js';
export { RoundRelease } from './rounds/round-release.js';
export { RoundViews } from './rounds/round-views.service.js';
export { enqueueRounds, RoundsDispatcher } from './rounds/rounds-dispatcher.js';
export { closeRound, RoundsService } from './rounds/rounds.service.js';
export { CollectionStatisticsService } from './statistics/collection-statistics.service.js';
export { humanFigures } from './statistics/human-figures.js';
export { OverviewService } from './statistics/overview.service.js';
export { SaturationService } from './statistics/saturation.service.js';
export { TrendService } from './statistics/trend.service.js';
export { ALL_NAMED_BLOBS, isBlobNamed, NAMED_BLOBS } from './stored-bytes/named-blobs.js';
export { sameLabel } from './validating/judged-labels.js';
export { OwnerDecisionsService } from './validating/owner-decisions.service.js';
export { roundAgreement } from './validating/round-agreement.js';
export { KEPT_FOR } from './validating/validation-assignment.js';
export { Validation } from './validating/validation.js';
export { type Judged, ValidationsService } from './validating/validations.service.js';
export { ValidatorFigures } from './validating/validator-figures.js';
export { WebhookDeliveriesService } from './webhooks/webhook-deliveries.service.js';
export { WebhookDelivery } from './webhooks/webhook-delivery.js';
export { WebhookDispatcher } from './webhooks/webhook-dispatcher.js';
export {
  claimDelivery,
  type ClaimedDelivery,
  type DeliveryEnd,
  endAttempt,
  enqueueNext,
  enqueueWebhooks,
  giveUpWaiting,
  sweepDeliveries,
} from './webhooks/webhook-queue.js';
export { DAYS_UNTIL_DISABLED, MOST_TRIES, retryAfterSeconds, secondsUntilRetry } from './webhooks/webhook-retry.js';
export { WebhookSecrets } from './webhooks/webhook-secrets.js';
export { webhookHeaders } from './webhooks/webhook-signature.js';
export { addressIn, WebhookTargets } from './webhooks/webhook-targets.js';
export { originOf, Webhook } from './webhooks/webhook.js';
export { WebhooksService } from './webhooks/webhooks.service.js';
