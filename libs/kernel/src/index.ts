// For: what every module needs: errors, the clock, random numbers, identifiers.
// Knows: nothing but the language.
// Must not know: any other lib, the platform it runs on (it also runs in the browser).
export { canonicalJson } from './canonical-json.js';
export { dayOf, secondsUntil, within } from './clock.js';
export { DomainError, type DomainErrorKind, type Problem, RefusedForNow } from './domain-error.js';
export { newId } from './id.js';
export { mapValues } from './map-values.js';
export { firstPage, type PartOfList } from './part-of-list.js';
export { remembered } from './remembered.js';
export { seededRng, type Rng } from './rng.js';
export { assertTransition, finalStates, statesBefore, type TransitionTable } from './transition-table.js';
