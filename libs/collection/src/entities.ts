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
import { Context } from './rounds/context.js';
import { Participation } from './rounds/participation.js';
import { RoundRelease } from './rounds/round-release.js';
import { RoundModel } from './rounds/round-model.js';
import { Validation } from './validating/validation.js';

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
  Appeal,
  BadgeAward,
  CrowdLink,
  CrowdSession,
];
