import { says } from '@mainstay/contract/core/said'
import { LinkFault } from '../link-fault'

interface EndOfSsh {
  /** Exit code of ssh; null if ssh did not start or was ended by a signal. */
  code: number | null
  errors: string
  /** Whether the bridge was ready before ssh exited. */
  isReady: boolean
}

/** The exit status of ssh for its own errors. Other values come from the program on the host. */
const OWN_FAILURE = 255

/** Explains why ssh exited. */
export function faultOfSsh(host: string, { code, errors, isReady }: EndOfSsh): LinkFault {
  const reason = reasonOf(errors) || (code === null ? 'ssh was stopped' : `ssh ended with status ${code}`)
  if (isReady && code !== OWN_FAILURE)
    return new LinkFault(
      'bridge_fault',
      says('infrastructure.host_link_lost', { host, reason: `cockpit-bridge ended` }),
    )
  if (isReady) return new LinkFault('unreachable', says('infrastructure.host_link_lost', { host, reason }))
  if (/IDENTIFICATION HAS CHANGED|Host key verification failed|host key is known|no matching host key/i.test(errors))
    return new LinkFault('host_key_changed', says('infrastructure.host_key_changed', { host }))
  if (/Permission denied \(|Too many authentication failures/.test(errors))
    return new LinkFault('refused_key', says('infrastructure.host_key_refused', { host }))
  if (code !== null && code !== OWN_FAILURE)
    return new LinkFault('no_bridge', says('infrastructure.host_bridge_missing', { host, reason }))
  return new LinkFault('unreachable', says('infrastructure.host_no_answer', { host, reason }))
}

/** Returns the last line without the prefix that the program adds. */
const reasonOf = (errors: string): string =>
  (errors.trim().split('\n').at(-1) ?? '')
    .replace(/^(ssh|kex_exchange_identification): /, '')
    .replace(/\.?\r?$/, '')
    .slice(0, 300)
