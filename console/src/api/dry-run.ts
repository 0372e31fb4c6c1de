import type { Endpoint } from '@mainstay/contract/core/endpoint'

/** What a call is given, when nothing of its types is known. */
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

/** Whether calls are only written down now. */
export const isDryRun = () => written !== undefined

/**
 * The calls that `send` begins with, without sending any: each is written down and never answered, so what waits for an
 * answer does not go on. Throws what `send` throws at once.
 */
export function dryRun(send: () => unknown): DryCall[] {
  const found: DryCall[] = []
  written = found
  try {
    // what it rejects with is nobody's: there is nothing that could have failed
    Promise.resolve(send()).catch(() => {})
  } finally {
    written = undefined
  }
  return found
}

/** Writes a call down while `dryRun` runs; its answer never comes. Undefined otherwise. */
export function inDryRun(endpoint: Endpoint, input: AnyInput): Promise<never> | undefined {
  if (!written) return undefined
  written.push({ endpoint, input })
  return unanswered()
}

/** What never comes. */
export const unanswered = () => new Promise<never>(() => {})

/** Makes calls one after the other; the next one not where one failed. */
export async function inTurn(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  if (isDryRun()) {
    for (const make of calls) void make()
    return unanswered()
  }
  for (const make of calls) await make()
}
