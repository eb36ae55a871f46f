import { resolve } from 'node:path';
import { z } from 'zod';
import { HostEnvironment, HostSettings } from './host-settings.js';

const URL_MISSING = 'Set ASSAY_URL to the address of the service, such as https://assay.example.org.';

const RemoteEnvironment = HostEnvironment.extend({
  /** Address of the service. */
  ASSAY_URL: z
    .url({ protocol: /^https?$/, error: URL_MISSING })
    .refine((url) => !/[?#@]/.test(url), 'must have no user, query or fragment'),
  /** Token of the evaluator, which its registration printed. */
  ASSAY_EVALUATOR_TOKEN: z.string().regex(/^[\x21-\x7e]+$/, 'must be the token that the registration printed'),
  /** Folder for temporary files and cached artifacts. Default: ASSAY_HOME. */
  ASSAY_EVALUATOR_HOME: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional(),
});

/** The environment of an evaluator that leases its runs from the service over HTTP. */
export class RemoteSettings extends HostSettings<z.infer<typeof RemoteEnvironment>> {
  readonly url = this.environment.ASSAY_URL;
  readonly token = this.environment.ASSAY_EVALUATOR_TOKEN;
  readonly home = this.environment.ASSAY_EVALUATOR_HOME ?? this.environment.ASSAY_HOME;

  /** @throws Error with a line for each invalid variable */
  constructor(source: Readonly<Record<string, string | undefined>> = process.env) {
    const { data, error } = RemoteEnvironment.safeParse(source);
    if (!data) throw new Error(z.prettifyError(error));
    super(data);
  }
}
