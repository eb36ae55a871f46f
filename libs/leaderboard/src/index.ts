// For: ranking: boards and their revisions, custom weights, and the choice of target models.
// Knows: cells of ranked models, datasets' weights, policies.
// Must not know: how a cell was computed.
export { leaderboardEntities } from './entities.js';
export { LeaderboardModule } from './leaderboard.module.js';
export { leaderboardPersonalData } from './personal-data.js';
