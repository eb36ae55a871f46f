/** What somebody is asked before something happens. */
export interface Question {
  /** A question: `Withdraw the model?` */
  readonly title: string;
  /** What will happen, and what will not. */
  readonly text: string;
  /** A verb: `Withdraw`. */
  readonly action: string;
  /** `bad` for what can't be taken back. */
  readonly tone?: 'usual' | 'bad';
}
