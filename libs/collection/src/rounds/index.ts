// For: rounds: contexts, target models, closing, release.
export { RoundProgress } from './closing/round-progress.service.js';
export { Context, ContextMark } from './context.js';
export { ContextsService } from './contexts.service.js';
export { DeploymentReconciler } from './deployment-reconciler.js';
export { ImportedExamples } from './imported-examples.service.js';
export { writtenInputs } from './inputs.js';
export { Participation } from './participation.js';
export { leaveRounds, replaceInRound } from './round-loop.js';
export { RoundModel } from './round-model.js';
export { collectionBlobs, RoundRelease } from './round-release.js';
export { RoundViews } from './round-views.service.js';
export { type LoopMove, RoundRepository } from './round.repository.js';
export { enqueueRounds, RoundsDispatcher } from './rounds-dispatcher.js';
export { closeRound, RoundsService } from './rounds.service.js';
