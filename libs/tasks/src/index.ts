// For: what is evaluated, and by which rules: tasks, dataset versions, rounds, benchmark versions.
// Knows: definitions, examples as files, active versions.
// Must not know: models, runs, scores.
export { tasksBlobs } from './blob-references.js';
export { type Ceilings, CEILINGS, clampLimits, configuredCeilings, hostCeilings } from './ceilings.js';
export { tasksEntities } from './entities.js';
export { tasksPersonalData } from './personal-data.js';
export { Round, ROUND_TRANSITIONS, type RoundSchema, type RoundSettings } from './round.js';
export { lockTask, Task } from './task.js';
export { TaskRepository } from './task.repository.js';
export { TasksModule } from './tasks.module.js';
export { definitionWith, mayReadExamples, MOST_TASKS, type Owned, ownsTask, TasksService } from './tasks.service.js';
