import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import type { Router } from '@mainstay/contract/networking/routers'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { compileBalancers } from '../../networking/compile-balancers'
import { compileWanted, type NetworkRows } from '../../networking/compile-wanted'
import type { Seals } from '../../ports/engine'
import type { Log, Records, RecordsTransaction } from '../../ports/records'
import type { AnswerMetadata, Dataplane, WantedNetworks } from '../../network-model/wanted'
import type { Carrier } from '../engine'
import type { MachineNic } from '../hypervisor'
import { readBalancers } from '../load-balancing/read'
import { reportBalancers } from '../load-balancing/tell'
import { compileVpns, readVpns } from '../vpn/compile'
import { openPeerNames } from '../vpn/peer-names'
import { reportVpns } from '../vpn/tell'
import { hostFacts } from './host-facts'
import { reportFaults } from './report-faults'
import { hasNat } from '../networking/rows'

interface Given {
  records: Records
  /** Null if the hypervisor gives each network interface its own NAT and supports no other networking. */
  dataplane: Dataplane | null
  hasPairs: boolean
  log: Log
  /** Decrypts the private keys of load balancers. */
  seals: Seals
  answerMetadata: AnswerMetadata
}

const noDataplane = 'Networks need a hypervisor that can attach virtual machines to them'
const firstRetryMs = 500
const lastRetryMs = 30_000

const readRows = async (tx: RecordsTransaction): Promise<NetworkRows> => ({
  networks: await tx.find<Network>('network', {}),
  ports: await tx.find<Port>('port', {}),
  routers: await tx.find<Router>('router', {}),
  groups: await tx.find<SecurityGroup>('security_group', {}),
  floating: await tx.find<FloatingIp>('floating_ip', {}),
})

export function openCarrier({ records, dataplane, hasPairs, log, seals, answerMetadata }: Given): Carrier {
  let because: string | null = dataplane ? null : noDataplane
  let vpnBecause: string | null = null
  let isOpen = false
  let isDirty = false
  let running: Promise<void> | null = null
  let retry: NodeJS.Timeout | null = null
  let failures = 0
  let made: WantedNetworks | null = null
  const listeners = new Set<() => void>()
  let stopLearning = () => {}
  const peers = openPeerNames(() => changed())
  let waiting: { resolve(): void; reject(error: unknown): void }[] = []

  async function follow(): Promise<void> {
    while (isDirty && isOpen && dataplane) {
      isDirty = false
      const answered = waiting
      waiting = []
      try {
        const { rows, balancers, vpns } = await records.transaction(async (tx) => ({
          rows: await readRows(tx),
          balancers: await readBalancers(tx, seals),
          vpns: await readVpns(tx, seals),
        }))
        const addressOf = await peers.addressesOf(vpns.connections.map(({ peer_address }) => peer_address))
        const wanted = {
          ...compileWanted(rows, { snatSix: true }),
          balancers: compileBalancers(balancers, rows),
          vpns: compileVpns(vpns, addressOf),
        }
        const applied = await dataplane.apply(wanted)
        made = wanted
        await reportFaults(records, rows, applied)
        await reportBalancers(records, balancers, applied)
        await reportVpns(records, vpns, applied, addressOf)
        for (const listener of listeners) listener()
        failures = 0
        for (const { resolve } of answered) resolve()
      } catch (error) {
        for (const { reject } of answered) reject(error)
        if (!isOpen) return
        log.warn({ error }, 'failed to apply the networks to this host; retrying')
        isDirty = true
        const pause = Math.min(lastRetryMs, firstRetryMs * 2 ** failures++)
        retry = setTimeout(begin, pause).unref()
        return
      }
    }
  }

  function begin(): void {
    if (retry) clearTimeout(retry)
    retry = null
    if (running || !isOpen) return
    running = follow().finally(() => {
      running = null
      if (isDirty && !retry) begin()
    })
  }

  async function learn(): Promise<void> {
    if (!dataplane) return
    const { available, missing, vpn } = await dataplane.probe()
    vpnBecause = vpn.missing && missingText(vpn.missing)
    because = available ? null : missing.map(missingText).join('. ') || 'This host has no networks'
  }

  function changed(): void {
    if (!dataplane || because !== null) return
    isDirty = true
    begin()
  }

  function settled(): Promise<void> {
    if (!dataplane || because !== null || !isOpen) return Promise.resolve()
    const done = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
    changed()
    return done
  }

  return {
    changed,
    settled,
    unavailable: () => because,
    hasPairs,
    vpnUnavailable: () => vpnBecause,
    async plugged(nics) {
      if (nics.length === 0) return []
      const networks = await networksOfPorts(records, nics)
      await settled()
      return nics.map((nic) => {
        const network = networks.get(nic.id)
        return network ? { ...nic, port: { orNat: hasNat(network) } } : nic
      })
    },
    async host() {
      if (!dataplane) return null
      const named = await records.transaction(async (tx) => [
        ...(await tx.find<Network>('network', {})),
        ...(await tx.find<LoadBalancer>('load_balancer', {})),
        ...(await tx.find<Router>('router', {})),
      ])
      return hostFacts(await dataplane.probe(), await dataplane.health(), named)
    },
    wanted: () => made,
    onApplied(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    check: (question) => {
      if (!dataplane) throw new Error(noDataplane)
      return dataplane.check(question)
    },
    async open() {
      await learn()
      stopLearning =
        dataplane?.onAvailable(() => {
          learn().then(changed, (error: unknown) => log.error({ error }, 'failed to read the networks of this host'))
        }) ?? stopLearning
      dataplane?.answerMetadata(answerMetadata)
      isOpen = true
      changed()
    },
    async close() {
      isOpen = false
      stopLearning()
      peers.close()
      if (retry) clearTimeout(retry)
      await running
      for (const { reject } of waiting) reject(new Error('the server closes'))
      waiting = []
    },
  }
}

const missingText = ({ what, because, command }: { what: string; because: string; command: string | null }): string =>
  `${what}: ${because}${command ? ` (${command})` : ''}`

/** Returns the network of each port that has a row, keyed by port ID. */
const networksOfPorts = (records: Records, nics: readonly MachineNic[]): Promise<Map<string, Network>> =>
  records.transaction(async (tx) => {
    const found = new Map<string, Network>()
    for (const { id } of nics) {
      const port = await tx.get<Port>('port', id)
      const network = port && (await tx.get<Network>('network', port.network_id))
      if (network) found.set(id, network)
    }
    return found
  })
