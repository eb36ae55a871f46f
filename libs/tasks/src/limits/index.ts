// For: the operator's ceilings for the limits of tasks.
export {
  type Ceilings,
  CEILINGS,
  ceilingProblems,
  clampLimits,
  configuredCeilings,
  expectWithinCeilings,
  hostCeilings,
} from './ceilings.js';
