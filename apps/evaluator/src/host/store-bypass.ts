/**
 * Returns a warning if the kernel lets processes of this host bypass stores speculatively (CVE-2018-3639): a model
 * may then read data that is not meant for it. Null: it does not, or it does not say.
 * @param status the text of `/proc/self/status` of a process without a sandbox. One in a sandbox is no better
 * protected: the boot parameter that protects processes with a seccomp filter has no effect under current versions
 * of runc, which set `SECCOMP_FILTER_FLAG_SPEC_ALLOW` (https://github.com/opencontainers/runc/pull/3588)
 */
export function storeBypassWarning(status: string): string | null {
  const state = /^Speculation_Store_Bypass:\s*(.+)$/m.exec(status)?.[1]?.trim();
  if (!state?.endsWith('vulnerable') || state === 'not vulnerable') return null;
  return `the kernel does not protect models against speculative store bypass ("${state}"): to protect hidden data against it, start the host with spec_store_bypass_disable=on`;
}
