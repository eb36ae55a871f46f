export interface Taint {
  /** All markers that the probe was shown, separated by spaces. */
  readonly text: string;
  readonly markers: readonly string[];
  /** True if one of them marks hidden data. */
  readonly isHidden: boolean;
  see(value: unknown): void;
  explanation(): unknown;
  prediction(kind: 'text' | 'label', instance: { readonly text: string }): unknown;
}

export function taint(): Taint;
