import { Annotation } from './annotating/annotation.js';
import { Assignment } from './annotating/assignment.js';
import { ExampleFingerprint } from './annotating/checks/example-fingerprint.js';
import { ContextMark } from './annotating/context-mark.js';
import { ConsentRecord } from './people/consent-record.js';
import { Consent } from './people/consent.js';
import { Context } from './rounds/context.js';
import { Participation } from './rounds/participation.js';
import { RoundRelease } from './rounds/round-release.js';
import { RoundModel } from './rounds/round-model.js';
import { Validation } from './validating/validation.js';

/** The tables of this context. */
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
];
