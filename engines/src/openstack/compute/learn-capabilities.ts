import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { keepLearning, type Learning } from '../keep-learning'
import { hasSerialConsoles } from './instances/consoles'
import type { openNodes } from './stat'

/**
 * Keeps `capabilities` up to date with values that only the cloud can report: the size of its largest instance and its
 * console types.
 */
export function learnCapabilities(
  { account, nodes, log }: { account: ServiceClient; nodes: ReturnType<typeof openNodes>; log: Log },
  capabilities: ComputeCapabilities,
): Learning {
  return keepLearning(async () => {
    const [largest, serial] = await Promise.allSettled([
      nodes().then((known) => known.largest),
      hasSerialConsoles(account),
    ])
    for (const answer of [largest, serial])
      if (answer.status === 'rejected') log.debug({ err: answer.reason }, 'the cloud does not report its capabilities')
    if (largest.status === 'fulfilled') Object.assign(capabilities, largest.value)
    const isSerial = serial.status === 'fulfilled' ? serial.value : null
    if (isSerial !== null) capabilities.console_protocols = isSerial ? ['vnc', 'serial'] : ['vnc']
    return largest.status === 'fulfilled' && isSerial !== null
  })
}
