import { userInfo } from 'node:os'
import { Problem } from '@mainstay/contract/core/problems'
import { says } from '@mainstay/contract/core/said'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { HostTarget } from '@mainstay/engines/hosts/hosts'
import { LinkFault } from '@mainstay/engines/hosts/link-fault'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { NodeRecord } from '../node-record'
import { statement } from '../statement'

/** Returns the address, account and keys with which the host of a node is reached. */
export async function targetOf(
  { link, host }: Pick<Node, 'link' | 'host'>,
  { ssh }: Pick<NodeRecord, 'ssh'>,
  privateKey: () => Promise<Secret>,
): Promise<HostTarget> {
  if (link.by === 'local') return { by: 'local' }
  if (!ssh) throw new Error(`the node ${host} has no address`)
  const { address, port, user, host_key: hostKey } = ssh
  return { by: 'ssh', address, port, user, hostKey, privateKey: (await privateKey()).reveal() }
}

/** Name of the platform's account on a host. */
export const userOf = ({ ssh }: Pick<NodeRecord, 'ssh'>): string => ssh?.user ?? userInfo().username

/** Describes a failed attempt to reach a host, for operators. */
export const wordsOf = (error: unknown, host: string): string =>
  error instanceof Problem ? error.message : statement('infrastructure.host_timeout', { host }).message

/**
 * Runs work on a host within a time limit. Throws a `LinkFault` when the time is over, even if the work ignores the
 * signal.
 */
export async function withinTime<Result>(
  milliseconds: number,
  { host, signal }: { host: string; signal: AbortSignal },
  work: (limit: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController()
  const fault = new LinkFault('timeout', says('infrastructure.host_timeout', { host }))
  const timer = setTimeout(() => late.abort(fault), milliseconds)
  const limit = AbortSignal.any([signal, late.signal])
  const over = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason as Error), { once: true })
  })
  try {
    limit.throwIfAborted()
    const working = work(limit)
    // an error of the work does not matter once the time is over
    working.catch(() => undefined)
    return await Promise.race([working, over])
  } finally {
    clearTimeout(timer)
  }
}
