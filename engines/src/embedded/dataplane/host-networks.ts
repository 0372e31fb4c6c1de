import type { Log } from '../../ports/records'
import { pause, type ProcessId } from '../../host/processes'
import type { PortDevices } from './apply/difference'
import { openCapsule, type Capsule, type NoCapsule } from './capsule/capsule'
import { openDataplane, type OpenDataplane } from './dataplane'
import { servicesIn } from './services/daemons'
import type { NetworkUsers } from './services/users'
import type { AnswerMetadata, Dataplane, DataplaneFacts } from '../../network-model/wanted'

/*
 * This host's networks: the capsule and its dataplane. If setup fails at startup, it is retried every minute, so that
 * networking becomes available without a restart.
 */

export interface HostNetworks {
  /** Null while networking is unavailable. */
  readonly capsule: Capsule | null
  /** Refuses calls while networking is unavailable. */
  readonly dataplane: Dataplane
  facts(): DataplaneFacts
  /** Retries the setup now instead of waiting for the next attempt. */
  retry(): Promise<void>
  /** Stops retrying. Shuts down the networks if nothing uses them; otherwise leaves them running. */
  close(isEmpty: boolean): Promise<void>
}

interface Given {
  /** Folder of the capsule. */
  folder: string
  /** Folder of the dataplane. */
  networksFolder: string
  users: NetworkUsers
  log: Log
  /** Returns the instances started by a previous server process, some of which may run in the capsule. */
  machines: () => readonly ProcessId[]
  devices?: PortDevices
}

const EVERY_MS = 60_000
/**
 * Startup retries after temporary failures, because instances that start without networks stay offline until their next
 * start.
 */
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
    log.info({}, 'networking is now available on this host')
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
      retry().catch((error: unknown) => log.error({ error }, 'failed to retry networking on this host'))
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
