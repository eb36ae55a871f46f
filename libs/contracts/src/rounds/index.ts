// For: rounds, contexts and crowds.
export {
  AnswerOnboarding,
  CrowdLinkView,
  CrowdOffer,
  CrowdPay,
  type CrowdPlatform,
  CrowdSessionRow,
  CrowdSessionStarted,
  type CrowdSessionState,
  CrowdSessionView,
  FinishCrowdSession,
  MakeCrowdLink,
  Onboarding,
  StartCrowdSession,
} from './crowds.js';
export {
  CloseRound,
  ContextList,
  ContextView,
  LinesPut,
  PatchContext,
  PatchRound,
  RoundCounts,
  RoundList,
  RoundModelView,
  RoundView,
} from './round.js';
