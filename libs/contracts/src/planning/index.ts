// For: planning rounds: how many examples are needed, and what an example costs.
export { RoundCost, RoundCosts } from './round-cost.js';
export { NeededExamples, PlanQuery, RoundPlan } from './round-plan.js';
