/** The process is shutting down: the runs and deployments that it holds are released unchanged. */
export class EvaluatorLeaves extends Error {
  constructor() {
    super('The evaluator is being stopped.');
    this.name = 'EvaluatorLeaves';
  }
}
