import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { problem, type Problem } from '@mainstay/contract/core/problems'

/** How long a refusal by the receiver's host can take to arrive, in milliseconds. */
const REFUSED_WITHIN_MS = 500

const reasons: Readonly<Record<string, 'closed' | 'unreachable'>> = {
  ECONNREFUSED: 'closed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
}

function problemOf(cause: NodeJS.ErrnoException): Problem {
  const code = cause.code ?? 'unknown'
  return problem('settings.trap_not_sent', { reason: reasons[code] ?? 'other', code }, { cause })
}

/**
 * Sends datagrams to a receiver. Receivers do not confirm traps, so this resolves once the host has sent them and no
 * router or host has reported within half a second that they cannot be delivered. Otherwise throws a `trap_not_sent`
 * error.
 */
export async function sendTraps(
  { ip, port }: { ip: string; port: number },
  datagrams: readonly Buffer[],
): Promise<void> {
  // only a connected socket receives the error for a closed port
  const socket = createSocket(isIPv6(ip) ? 'udp6' : 'udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('connect', () => {
        for (const bytes of datagrams) socket.send(bytes, (failure) => failure && reject(failure))
        setTimeout(resolve, REFUSED_WITHIN_MS)
      })
      socket.connect(port, ip)
    })
  } catch (failure) {
    throw problemOf(failure as NodeJS.ErrnoException)
  } finally {
    socket.close()
  }
}
