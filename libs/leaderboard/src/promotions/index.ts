// For: which models become target models.
export { byRank, Promotion } from './promotion.js';
export { eligible } from './promotion.policy.js';
export { followPolicy, excludedModels, promote, PromotionsService } from './promotions.service.js';
