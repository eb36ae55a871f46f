import { Artifact } from './artifacts/artifact.js';
import { Model } from './model.js';
import { RunSpecification } from './run-specification.js';

/** The entities of this lib. */
export const submissionsEntities = [Artifact, RunSpecification, Model];
