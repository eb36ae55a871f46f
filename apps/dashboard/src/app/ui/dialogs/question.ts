/** A confirmation dialog's content. */
export interface Question {
  /** A question, for example `Withdraw the model?` */
  readonly title: string;
  /** The consequences of the action. */
  readonly text: string;
  /** The label of the confirming button: a verb, for example `Withdraw`. */
  readonly action: string;
  /** `bad` for an action that cannot be undone. */
  readonly tone?: 'usual' | 'bad';
}
