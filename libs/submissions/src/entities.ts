import { Artifact } from './artifact.js';
import { Model } from './model.js';
import { RunSpecification } from './run-specification.js';

/** The tables of this context. */
export const submissionsEntities = [Artifact, RunSpecification, Model];
