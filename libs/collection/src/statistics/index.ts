// For: figures of collection, of one task or of all.
export { CollectionCountsRepository } from './collection-counts.repository.js';
export { CollectionStatisticsService } from './collection-statistics.service.js';
export { CountVersionRepository } from './count-version.repository.js';
export { humanFigures } from './human-figures.js';
export { OverviewService } from './overview.service.js';
export { SaturationService } from './saturation.service.js';
export { TrendService } from './trend.service.js';
