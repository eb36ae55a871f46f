// For: planning rounds: what examples have cost, and how many the next round needs.
export { RoundCostsService } from './round-costs.service.js';
export { RoundPlans } from './round-plans.service.js';
