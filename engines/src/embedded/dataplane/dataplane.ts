import { closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readKernel } from '../../host/programs'
import type { Log } from '../../ports/records'
import { isAlive, type ProcessId } from '../../host/processes'
import { canonical } from '../../network-model/addresses'
import { answerOf } from './apply/answer'
import { openApplier } from './apply/applier'
import type { PortDevices } from './apply/difference'
import { countersScript, parseCounters } from './apply/counters'
import type { Capsule, NoCapsule } from './capsule/capsule'
import { uplinkSocket } from './capsule/processes'
import { trial, untried } from './apply/trial'
import { tapOf } from '../../network-model/names'
import { probeHost, whyUnavailable } from './probe'
import { metadataSocket } from '../../network-model/compile/metadata'
import { reportsOf } from './services/balancers'
import { openDaemons } from './services/daemons'
import { explainReach } from '../../network-model/reach/reach'
import { tunnelsOf } from '../../network-model/reach/tunnels'
import { forward } from './services/forwards'
import { keepTunnels } from './services/keep-tunnels'
import { serveMetadata } from './services/metadata-server'
import { metadataKey, servicesOf } from './services/services'
import type { NetworkUsers } from './services/users'
import { causeReporter } from './apply/tell-cause'
import {
  NetworkingUnavailable,
  type Applied,
  type Dataplane,
  type WantedNetworks,
  type WantedPort,
} from '../../network-model/wanted'

interface Given {
  folder: string
  capsule: Capsule | NoCapsule
  users: NetworkUsers
  log: Log
  /** How ports are connected: taps for QEMU, or veth pairs into namespaces (`guestSpaceOf`). */
  devices?: PortDevices
}

export interface OpenDataplane extends Omit<Dataplane, 'onAvailable'> {
  /** Returns the service processes in the capsule, through which it can be entered. */
  processes(): ProcessId[]
  /** Stops the services. Call this if the capsule is shut down together with the server. */
  end(): Promise<void>
}

/**
 * Opens the networks of a capsule. If networking is unavailable, all calls except `probe` and `health` throw
 * `NetworkingUnavailable`.
 */
export async function openDataplane({
  folder,
  capsule: given,
  users,
  log,
  devices = 'taps',
}: Given): Promise<OpenDataplane> {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const facts = await probeHost(given)
  if ('impossible' in given || !facts.available) {
    const refuse = async () => {
      throw new NetworkingUnavailable(whyUnavailable(facts))
    }
    const none = { running: false, since: null, restarts: 0, lastFault: whyUnavailable(facts) }
    return {
      probe: async () => facts,
      ...{ apply: refuse, plug: refuse, unplug: async () => undefined, counters: async () => new Map(), check: refuse },
      ...{ balancers: async () => new Map(), tunnels: async () => new Map(), restartTunnel: refuse },
      health: async () => ({
        ...{ capsule: none, uplink: none, dnsmasq: new Map(), balancers: new Map(), vpns: new Map() },
        ...{ metadata: null, applied: null },
      }),
      ...{
        answerMetadata: () => undefined,
        close: async () => undefined,
        processes: () => [],
        end: async () => undefined,
      },
    }
  }
  const capsule = given
  const folderOf = (key: string) => `/proc/self/fd/${held}/${key}`
  // accessed through a file descriptor, because the path of a Unix socket is limited to 107 bytes
  mkdirSync(join(folder, metadataKey), { recursive: true, mode: 0o700 })
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const heldCapsule = openSync(capsule.folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const daemons = openDaemons({ folder, capsule: () => capsule })
  const applier = openApplier(folder, () => capsule, { uid: users.vm?.uid ?? 0, devices, esp: facts.vpn.esp })
  const tell = causeReporter(log)
  const tunnels = keepTunnels({ capsule, folderOf, esp: facts.vpn.esp, log, tell })
  const metadata = await serveMetadata(`/proc/self/fd/${held}/${metadataKey}/${metadataSocket}`, log, portAt)
  const plugged = new Set<string>()
  /** Ports that are plugged in but not yet applied to the kernel. */
  const unmade = new Set<string>()
  let lastAnswer: Applied | null = null
  let wanted: WantedNetworks | null = null
  let ports = new Map<string, WantedPort>()
  let byAddress = new Map<string, WantedPort>()
  let lastApplied: { at: string; tookMs: number; fault: string | null } | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let waiting: { wanted: WantedNetworks; answer: Promise<Applied> } | null = null
  let isClosed = false

  function portAt(networkId: string, address: string): WantedPort | null {
    return byAddress.get(`${networkId} ${address}`) ?? null
  }

  /** Runs one action at a time, in order. */
  function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = queue.then(act)
    queue = result.catch(() => undefined)
    return result
  }

  async function carryOut(next: WantedNetworks): Promise<Applied> {
    const begun = Date.now()
    const at = new Date().toISOString()
    // ports that are plugged in after this point may not be included in this run
    const making = [...unmade]
    try {
      const { plan, faults, unchanged } = await applier.apply(next, plugged)
      const services = await daemons.keep(servicesOf(plan, users, folder, folderOf))
      const vpns = await tunnels.keep(plan.vpns)
      const unpublished =
        plan.forwards.length > 0 || hadForwards
          ? await forward(`/proc/self/fd/${heldCapsule}/${uplinkSocket}`, plan.forwards, tell).catch(
              (error: Error) =>
                new Map(
                  plan.forwards.map((it) => [it.floatingAddress, tell('It could not be published', error.message)]),
                ),
            )
          : new Map<string, string>()
      hadForwards = plan.forwards.length > 0
      for (const id of making) unmade.delete(id)
      const applied = (lastAnswer = answerOf(next, plan, { faults, services, unpublished, vpns }, { unchanged, tell }))
      const fault = [...faults.map(({ message }) => message), ...services.values()][0] ?? null
      if (fault !== null) log.error({ faults, services: [...services] }, 'failed to apply the network configuration')
      lastApplied = { at, tookMs: Date.now() - begun, fault }
      return applied
    } catch (error) {
      applier.forget()
      lastApplied = { at, tookMs: Date.now() - begun, fault: error instanceof Error ? error.message : String(error) }
      throw error
    }
  }
  let hadForwards = true

  function know(next: WantedNetworks): void {
    wanted = next
    ports = new Map(next.ports.map((port) => [port.id, port]))
    byAddress = new Map(
      next.ports.flatMap((port) =>
        port.addresses.map((address) => [`${port.networkId} ${safely(address)}`, port] as const),
      ),
    )
  }

  const stopListening = capsule.onLook(({ rebuilt, uplinkRestarted }) => {
    if (isClosed) return
    if (rebuilt) {
      plugged.clear()
      applier.forget()
    }
    if ((rebuilt || uplinkRestarted) && wanted) {
      hadForwards = true
      void inTurn(async () => void (isClosed || !wanted ? null : await carryOut(wanted))).catch((error: unknown) =>
        log.error({ error }, 'failed to rebuild the networks'),
      )
    } else if (!rebuilt) {
      void inTurn(async () => (isClosed ? undefined : daemons.look())).catch((error: unknown) =>
        log.error({ error }, 'failed to check the network services'),
      )
    }
  })

  return {
    probe: async () => facts,
    apply(next) {
      know(next)
      if (waiting) {
        waiting.wanted = next
        return waiting.answer
      }
      const mine: { wanted: WantedNetworks; answer: Promise<Applied> } = { wanted: next, answer: null! }
      mine.answer = inTurn(() => {
        waiting = null
        return carryOut(mine.wanted)
      })
      waiting = mine
      return mine.answer
    },
    plug(portId) {
      // ports that wait for their turn are applied together
      if (ports.has(portId) && !plugged.has(portId)) {
        plugged.add(portId)
        unmade.add(portId)
      }
      return inTurn(async () => {
        const port = ports.get(portId)
        if (!port || !wanted) throw new Error('The network of this network interface is unknown')
        const isNew = unmade.has(portId)
        if (isNew) await carryOut(wanted)
        const fault = lastAnswer?.ports.get(portId) ?? lastAnswer?.networks.get(port.networkId)
        if (fault !== undefined || !plugged.has(portId)) {
          // unplug only a new port, because a running guest may have the device of an older one open
          if (isNew) plugged.delete(portId)
          throw new Error(
            `The network interface could not be attached: ${fault ?? 'its port is not in the configuration'}`,
          )
        }
        return { device: tapOf(portId), mtu: applier.plan?.taps.find((tap) => tap.portId === portId)?.mtu ?? 1500 }
      })
    },
    unplug: (portId) =>
      inTurn(async () => {
        if (plugged.delete(portId) && wanted) await carryOut(wanted)
      }),
    async counters() {
      if (!applier.plan) return new Map()
      const said = await readKernel([...capsule.enter(), 'sh'], countersScript(applier.slot))
      const known = [...plugged].map((id) => ({ id, device: tapOf(id), number: applier.numbers.ports[id] ?? 0 }))
      return parseCounters(said, known)
    },
    async health() {
      const processes = daemons.health()
      const { capsule: rebuilds, uplink, uplinkFault } = capsule.restarts()
      const owners = new Map(applier.plan?.daemons.map(({ ownerId, space }) => [space, ownerId]) ?? [])
      const stands = (process_: ProcessId, restarts: number, lastFault: string | null) => {
        const running = isAlive(process_)
        return { running, since: running ? startedAt(process_) : null, restarts, lastFault }
      }
      return {
        capsule: stands(capsule.holder, rebuilds, null),
        uplink: stands(capsule.uplink, uplink, uplinkFault),
        dnsmasq: new Map(
          [...processes].flatMap(([key, health]) => (owners.has(key) ? [[owners.get(key)!, health] as const] : [])),
        ),
        balancers: new Map(
          (applier.plan?.balancers ?? [])
            .flatMap(({ id, space }) => {
              const health = processes.get(space)
              return health ? [[id, health] as const] : []
            })
            // for a pair, report the service that is not running
            .toSorted(([, one], [, other]) => Number(other.running) - Number(one.running)),
        ),
        vpns: new Map(
          (applier.plan?.vpns ?? []).flatMap(({ routerId, key }) => {
            const health = processes.get(key)
            return health ? [[routerId, health] as const] : []
          }),
        ),
        metadata: processes.get(metadataKey) ?? null,
        applied: lastApplied,
      }
    },
    balancers: () => {
      const processes = daemons.health()
      const runs = (key: string) => processes.get(key)?.running ?? false
      return reportsOf(applier.plan?.balancers ?? [], folder, folderOf, runs)
    },
    tunnels: async () => tunnels.reports(),
    restartTunnel: (id) => tunnels.restart(id),
    check: (question) =>
      inTurn(async () => {
        const begun = Date.now()
        if (!wanted) return { ...untried('The networks are not known yet'), expected: false }
        const reports = tunnels.reports()
        const known = tunnelsOf(wanted, (id) => reports.get(id)?.isUp ?? false)
        const expected = explainReach(wanted, question, known).allowed
        try {
          return { ...(await trial(capsule, wanted, question, plugged)), expected }
        } catch (error) {
          return { ...untried(error instanceof Error ? error.message : String(error), Date.now() - begun), expected }
        }
      }),
    answerMetadata: (answer) => metadata.answerBy(answer),
    processes: () => daemons.processes(),
    async close() {
      if (isClosed) return
      isClosed = true
      stopListening()
      await queue
      await tunnels.close()
      metadata.close()
      closeSync(held)
      closeSync(heldCapsule)
    },
    end: () => daemons.end(),
  }
}

/** Returns the start time in ISO format, or null if the process has just exited. */
function startedAt({ pid }: ProcessId): string | null {
  try {
    return statSync(`/proc/${pid}`).ctime.toISOString()
  } catch {
    return null
  }
}

/** Returns an invalid address unchanged; `apply` reports the error. */
function safely(address: string): string {
  try {
    return canonical(address)
  } catch {
    return address
  }
}
