import type { Log } from '../../ports/records'
import { pause, type ProcessId } from '../../host/processes'
import type { PortDevices } from './apply/difference'
import { openCapsule, type Capsule, type NoCapsule } from './capsule/capsule'
import { openDataplane, type OpenDataplane } from './dataplane'
import { servicesIn } from './services/daemons'
import type { NetworkUsers } from './services/users'
import type { AnswerMetadata, Dataplane, DataplaneFacts } from '../../network-model/wanted'

/*
 * The networks of this host: the capsule and the dataplane in it. What the host does not give when a server starts is tried again
 * every minute, so that networks become available without a restart.
 */

export interface HostNetworks {
  /** Null while the host gives none. */
  readonly capsule: Capsule | null
  /** Refuses while the host gives no networks. */
  readonly dataplane: Dataplane
  facts(): DataplaneFacts
  /** Tries now, instead of within a minute, what the host did not give so far. */
  retry(): Promise<void>
  /** Stops watching. The networks stay for what is in them; where that is nothing they end. */
  close(isEmpty: boolean): Promise<void>
}

interface Given {
  /** Of the capsule. */
  folder: string
  /** Of the dataplane. */
  networksFolder: string
  users: NetworkUsers
  log: Log
  /** Machines that an earlier server left, some of which may be inside. */
  machines: () => readonly ProcessId[]
  devices?: PortDevices
}

const EVERY_MS = 60_000
/** A start waits for what may work at the next try: machines that it starts without networks get none until they are restarted. */
const pausesOfStartMs = [250, 500, 1_000, 2_000]

export async function openHostNetworks(given: Given): Promise<HostNetworks> {
  const { folder, networksFolder, users, log, machines, devices = 'taps' } = given
  const listeners = new Set<() => void>()
  let capsule: Capsule | NoCapsule | null = null
  let opened: { dataplane: OpenDataplane; facts: DataplaneFacts; isPassing: boolean } | null = null
  let answerMetadata: AnswerMetadata | null = null
  let trying: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const isAvailable = () => opened?.facts.available === true
  const insiders = () => [
    ...machines(),
    ...(isAvailable() ? opened!.dataplane.processes() : servicesIn(networksFolder)),
  ]

  async function open(): Promise<void> {
    if (capsule === null || 'impossible' in capsule) capsule = await openCapsule({ folder, log, machines: insiders })
    const inside = capsule
    const open = (from: Capsule | NoCapsule) =>
      openDataplane({ ...{ folder: networksFolder, capsule: from, users, log, devices } })
    let isPassing = 'impossible' in inside && inside.isPassing
    const dataplane = await open(inside).catch((error: unknown) => {
      isPassing = true
      return open({ impossible: error instanceof Error ? error.message : String(error), isPassing })
    })
    if (answerMetadata) dataplane.answerMetadata(answerMetadata)
    opened = { dataplane, facts: await dataplane.probe(), isPassing }
  }

  const retry = () => (trying ??= retryOnce().finally(() => (trying = null)))
  async function retryOnce(): Promise<void> {
    if (isClosed || isAvailable()) return
    await open()
    if (!isAvailable()) return
    if (timer) clearInterval(timer)
    log.info({}, 'this host gives networks now')
    for (const listener of [...listeners]) listener()
  }

  await open()
  for (const ms of pausesOfStartMs) {
    if (isAvailable() || !opened!.isPassing) break
    await pause(ms)
    await open()
  }
  if (!isAvailable()) {
    timer = setInterval(() => {
      retry().catch((error: unknown) => log.error({ error }, 'the networks of this host could not be tried again'))
    }, EVERY_MS).unref()
  }

  const now = () => opened!.dataplane
  return {
    get capsule() {
      return capsule === null || 'impossible' in capsule ? null : capsule
    },
    dataplane: {
      probe: () => now().probe(),
      apply: (wanted) => now().apply(wanted),
      plug: (portId) => now().plug(portId),
      unplug: (portId) => now().unplug(portId),
      counters: () => now().counters(),
      health: () => now().health(),
      balancers: () => now().balancers(),
      tunnels: () => now().tunnels(),
      restartTunnel: (connectionId) => now().restartTunnel(connectionId),
      check: (question) => now().check(question),
      answerMetadata(answer) {
        answerMetadata = answer
        now().answerMetadata(answer)
      },
      onAvailable(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      close: () => now().close(),
    },
    facts: () => opened!.facts,
    retry,
    async close(isEmpty) {
      isClosed = true
      if (timer) clearInterval(timer)
      listeners.clear()
      await trying?.catch(() => undefined)
      await now().close()
      if (isEmpty) await now().end()
      if (capsule && !('impossible' in capsule)) await capsule.close(isEmpty)
    },
  }
}
