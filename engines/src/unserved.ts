import { problem } from '@mainstay/contract/core/problems'
import type { Area, AreaPorts } from './ports/area-ports'

/**
 * Returns the port of an area without an engine: every command rejects with a `not_configured` error that contains the
 * advice. It has no `then`, so that awaiting the port or a part of it resolves.
 */
export function unserved<Of extends Area>(advice: string): AreaPorts[Of] {
  const refuse = (): Promise<never> => Promise.reject(problem('core.not_configured', { advice }))
  const part: object = new Proxy(refuse, {
    get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : part),
  })
  return part as AreaPorts[Of]
}
