// For: what evaluators read and report about the runs that they hold.
export { DatabaseRun, type OwnersStorage, type ServiceStores } from './database-run.js';
