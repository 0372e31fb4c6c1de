import type { Endpoint } from '@mainstay/contract/core/endpoint'

/** Untyped input of a call. */
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
 * Runs `send` without sending any request and returns the calls that it makes before it awaits a reply: recorded calls
 * never resolve. Rethrows errors that `send` throws synchronously.
 */
export function dryRun(send: () => unknown): DryCall[] {
  const found: DryCall[] = []
  written = found
  try {
    // ignores rejections: no call was sent, so nothing can have failed
    Promise.resolve(send()).catch(() => {})
  } finally {
    written = undefined
  }
  return found
}

/** During `dryRun`, records a call and returns a promise that never settles; otherwise returns undefined. */
export function inDryRun(endpoint: Endpoint, input: AnyInput): Promise<never> | undefined {
  if (!written) return undefined
  written.push({ endpoint, input })
  return unanswered()
}

/** A promise that never settles. */
export const unanswered = () => new Promise<never>(() => {})

/** Makes calls sequentially and stops at the first failure. */
export async function inTurn(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  if (isDryRun()) {
    for (const make of calls) void make()
    return unanswered()
  }
  for (const make of calls) await make()
}
