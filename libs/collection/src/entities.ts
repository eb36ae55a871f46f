import { Annotation } from './annotating/annotation.js';
import { Assignment } from './annotating/assignment.js';
import { ExampleFingerprint } from './annotating/checks/example-fingerprint.js';
import { ContextMark } from './annotating/context-mark.js';
import { Appeal } from './people/appeal.js';
import { BadgeAward } from './people/badge-award.js';
import { CrowdLink } from './crowds/crowd-link.js';
import { CrowdSession } from './crowds/crowd-session.js';
import { ConsentRecord } from './people/consent-record.js';
import { Consent } from './people/consent.js';
import { NotificationSettings } from './people/notification-settings.js';
import { Profile } from './people/profile.js';
import { UserNotification } from './people/user-notification.js';
import { Placement } from './placements/placement.js';
import { Context } from './rounds/context.js';
import { Participation } from './rounds/participation.js';
import { RoundRelease } from './rounds/round-release.js';
import { RoundModel } from './rounds/round-model.js';
import { Validation } from './validating/validation.js';
import { WebhookDelivery } from './webhooks/webhook-delivery.js';
import { Webhook } from './webhooks/webhook.js';

/** The database entities of this lib. */
export const collectionEntities = [
  RoundModel,
  RoundRelease,
  Context,
  Participation,
  Annotation,
  ContextMark,
  Assignment,
  ExampleFingerprint,
  Validation,
  Consent,
  ConsentRecord,
  Profile,
  Appeal,
  BadgeAward,
  UserNotification,
  NotificationSettings,
  Placement,
  CrowdLink,
  CrowdSession,
  Webhook,
  WebhookDelivery,
];
