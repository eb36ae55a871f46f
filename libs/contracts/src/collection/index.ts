// For: how a task collects, and validation.
export {
  ANNOTATION_OUTCOMES,
  type AnnotationOutcome,
  type CheckFinding,
  CLOSING_STEPS,
  type ClosingStep,
  Collection,
  DEFAULT_COLLECTION,
  ExtraField,
  FooledRule,
  type LiveAnswer,
  OpenRound,
  RoundCondition,
  type RoundState,
  SplitShares,
  TurningRule,
  type Verdict,
} from './collection.js';
export {
  AnswerItem,
  DecideAlone,
  DecisionView,
  GiveVerdict,
  ValidationItem,
  ValidationView,
  ValidatorList,
  ValidatorView,
} from './validating.js';
