import type { Signal } from '@angular/core';
import type { NextContext } from '@assay/api-client/angular';
import type { Draft } from './drafts.js';

/** The example that `ExampleForm` edits. The page that shows the form provides it. */
export abstract class ExampleWork {
  /** The context to write for, with its rules. */
  abstract readonly given: Signal<NextContext | null>;
  abstract readonly draft: Signal<Draft | null>;
  /** True while the models are being asked about the example for the first time. */
  abstract readonly asking: Signal<boolean>;
  /** The problem of the last action in words. Empty if there is none. */
  abstract readonly problemText: Signal<string>;

  abstract change(part: Partial<Pick<Draft, 'input' | 'label' | 'span'>>): void;
  /** Sends the example to the models. */
  abstract send(): Promise<void>;
}
