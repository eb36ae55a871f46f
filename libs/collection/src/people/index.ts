// For: people who annotate: consent, eligibility, badges, pseudonyms, their own examples.
export { AnnotatorBoardService } from './annotator-board.service.js';
export { Appeal } from './appeal.js';
export { BadgeAward } from './badges.js';
export { awardBadges, awardForDecision, awardForFirstOfDay, BadgesService, earnedBadges } from './badges.service.js';
export { Consent, ConsentRecord } from './consent.js';
export { ConsentsService } from './consents.service.js';
export { requireContentExposure } from './daily-limits.js';
export { collectionOf, requireConsent } from './eligibility.js';
export { OwnExamplesService } from './own-examples.service.js';
export { ParticipantRepository } from './participant.repository.js';
export { Pseudonyms } from './pseudonyms.js';
