import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { hasSerialConsoles } from './instances/consoles'
import type { openNodes } from './stat'

const LEARN_EVERY_MS = 10 * 60_000
/** While something could not be learned: nothing runs yet, or the cloud is away. */
const TRY_AGAIN_MS = 30_000

export interface Learning {
  start(): void
  stop(): void
}

/** Keeps in `capabilities` what only the cloud itself can tell: the largest instance it takes, and its kinds of consoles. */
export function learnCapabilities(
  { account, nodes, log }: { account: ServiceClient; nodes: ReturnType<typeof openNodes>; log: Log },
  capabilities: ComputeCapabilities,
): Learning {
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  async function learn(): Promise<boolean> {
    const [largest, serial] = await Promise.allSettled([
      nodes().then((known) => known.largest),
      hasSerialConsoles(account),
    ])
    for (const answer of [largest, serial])
      if (answer.status === 'rejected') log.debug({ err: answer.reason }, 'the cloud does not tell what it can do')
    if (largest.status === 'fulfilled') Object.assign(capabilities, largest.value)
    const isSerial = serial.status === 'fulfilled' ? serial.value : null
    if (isSerial !== null) capabilities.console_protocols = isSerial ? ['vnc', 'serial'] : ['vnc']
    return largest.status === 'fulfilled' && isSerial !== null
  }

  async function again(): Promise<void> {
    const isDone = await learn()
    if (isStopped) return
    timer = setTimeout(() => void again(), isDone ? LEARN_EVERY_MS : TRY_AGAIN_MS).unref()
  }

  return {
    start: () => void again(),
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}
