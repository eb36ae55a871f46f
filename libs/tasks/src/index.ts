// For: what is evaluated, and by which rules: tasks, dataset versions, rounds, benchmark versions.
// Knows: definitions, examples as files, active versions.
// Must not know: models, runs, scores.
export { tasksPersonalData } from './personal-data.js';
export { auditedRound, Round, ROUND_TRANSITIONS, roundName, type RoundSchema, type RoundSettings } from './round.js';
export {
  lockTask,
  mayReadExamples,
  type Owned,
  ownsTask,
  roundsScores,
  seesRoundedScores,
  shownDisclosure,
  Task,
  TaskRepository,
} from './task.js';
export { TaskSubmitter } from './task-submitter.js';
export { TaskSubmittersService } from './task-submitters.service.js';
export { TasksModule } from './tasks.module.js';
export { definitionWith, MOST_TASKS, TasksService } from './tasks.service.js';
