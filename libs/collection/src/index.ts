// For: collecting examples from people against the models in the loop, round after round.
// Knows: rounds, contexts, annotations, validations, the people who take part, placements of models in the loop.
// Must not know: HTTP, Docker, how a metric is computed.
export * from './annotating/annotation.js';
export * from './annotating/assignment.js';
export * from './annotating/checks/example-fingerprint.js';
export * from './annotating/context-mark.js';
export * from './annotating/fooled-rule.js';
export * from './collection-events.js';
export * from './entities.js';
export * from './numbers/human-figures.js';
export * from './people/consent-record.js';
export * from './people/consent.js';
export * from './people/consents.service.js';
export * from './people/exposure.js';
export * from './people/pseudonyms.js';
export * from './people/taking-part.js';
export * from './placements/live-predictions.js';
export * from './release/annotation-exports.service.js';
export * from './release/card-text.js';
export * from './release/data-cards.service.js';
export * from './release/exported-annotation.js';
export * from './rounds/context.js';
export * from './rounds/enrolment.js';
export * from './rounds/participation.js';
export * from './rounds/round-model.js';
export * from './rounds/round-release.js';
export * from './rounds/rounds-dispatcher.js';
export * from './validating/validation.js';
