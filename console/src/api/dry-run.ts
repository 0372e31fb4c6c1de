import type { Endpoint } from '@mainstay/contract/core/endpoint'

/** The input of a call whose types are unknown. */
export interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** A call that a form would make. */
export interface DryCall {
  endpoint: Endpoint
  input: AnyInput
}

let written: DryCall[] | undefined

/** Whether calls are recorded instead of sent. */
export const isDryRun = () => written !== undefined

/**
 * Returns the calls that `send` starts with, without sending any. Each call is recorded and never resolves, so code
 * that awaits a reply stops there. Rethrows what `send` throws synchronously.
 */
export function dryRun(send: () => unknown): DryCall[] {
  const found: DryCall[] = []
  written = found
  try {
    // rejections are ignored: no call was made that could fail
    Promise.resolve(send()).catch(() => {})
  } finally {
    written = undefined
  }
  return found
}

/** Records a call while `dryRun` runs and returns a promise that never settles. Returns undefined otherwise. */
export function inDryRun(endpoint: Endpoint, input: AnyInput): Promise<never> | undefined {
  if (!written) return undefined
  written.push({ endpoint, input })
  return unanswered()
}

/** A promise that never settles. */
export const unanswered = () => new Promise<never>(() => {})

/** Makes calls one after the other and stops at the first failure. */
export async function inTurn(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  if (isDryRun()) {
    for (const make of calls) void make()
    return unanswered()
  }
  for (const make of calls) await make()
}
