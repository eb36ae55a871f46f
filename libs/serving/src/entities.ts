import { Deployment } from './deployment.js';

/** The database entities of this lib. */
export const servingEntities = [Deployment];
