/** The answers to a dataset that an upload has completed. */
export interface UploadedAnswers {
  /** Bytes of all chunks. */
  readonly size: number;
  /** ID of the dataset version. */
  readonly version: string;
}

/**
 * The requests of evaluators of one version of the gateway's protocol, and the fields of responses that they
 * read. They are written down here, and not derived from today's schemas, so that a change of a schema that
 * breaks these evaluators fails a test.
 */
export interface EvaluatorProtocol {
  readonly version: number;
  /** The bodies of requests. */
  readonly sends: {
    readonly presence: object;
    readonly lease: (stage: 'admission' | 'evaluation') => object;
    readonly deploymentLease: object;
    readonly progress: object;
    readonly storedAnswers: object;
    readonly answers: (uploaded: UploadedAnswers) => object;
    readonly failedDataset: object;
    /** The ends of an admission. */
    readonly admitted: object;
    readonly refused: object;
    /** The ends of an evaluation. */
    readonly finished: object;
    readonly failed: object;
    /** The ends after which the run is queued again, or not needed, by the state of the run. */
    readonly others: readonly (readonly [kind: string, outcome: object, state: 'queued' | 'cancelled'])[];
    /** The states of a target model, in their order. */
    readonly deploymentStates: readonly object[];
    /** The ends of the lease of a target model. */
    readonly deploymentEnds: readonly (readonly [kind: string, outcome: object, state: 'wanted' | 'failed'])[];
    /** The replies to questions, by their kind. */
    readonly replies: { readonly answers: (count: number) => object; readonly busy: object };
  };
  /** The query of the WebSocket. */
  readonly liveQuery: string;
  /** Matchers for the bodies of responses, with the fields that are read. */
  readonly reads: {
    readonly registration: object;
    readonly presence: object;
    readonly expired: object;
    readonly queue: object;
    readonly admission: object;
    readonly evaluation: { readonly run: { readonly assignment: object } };
    readonly started: object;
    readonly stored: (size: number) => object;
    readonly storedAnswers: object;
    readonly deployment: object;
    readonly question: object;
  };
}
