// For: writing examples: assignments, annotations, the answers of target models, inspections.
export { AnnotationChangesService, type ModelNames } from './annotation-changes.service.js';
export { Annotation, ExampleFingerprint } from './annotation.js';
export { AnnotatorCount } from './annotator-count.js';
export type { ExportedSet } from './annotation.repository.js';
export { AnnotationsService, type Trial } from './annotations.service.js';
export { Assignment, ASSIGNMENT_TRANSITIONS } from './assignment.js';
export { AssignmentsService, type AssignedContext } from './assignments.service.js';
export { fooledRuleOf } from './fooled-rule.js';
export { InspectionsService } from './inspections.service.js';
export { missingOf } from '../extra-fields.js';
export { type PreparedExample, promptOf } from './prepared-example.js';
