import { setTimeout as sleep } from 'node:timers/promises'
import { GiB, TiB } from '@mainstay/contract/core/bytes'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { HostDisk, HostFacts, HostInterface } from '@mainstay/contract/infrastructure/node-facts'
import type { Hosts, HostTarget } from '@mainstay/engines/hosts/hosts'

/** `hangs`: accepts connections but never responds. */
type HostState = 'up' | 'down' | 'hangs'

export interface FakeHost {
  state: HostState
  hostKey: string
  facts: HostFacts
  /** Commands that were run on the host. */
  ran: string[][]
  /** Ends all links to the host. */
  disconnect(): void
}

export const hostDisk = (key: string, more: Partial<HostDisk> = {}): HostDisk => ({
  ...{ key, device: key, type: 'hdd', model: 'ST4000', serial_number: key, size: 4 * TiB, used: null },
  ...{ is_system: false, holders: [], smart_status: 'passed', temperature: 30, zoned: false, ...more },
})

export const hostInterface = (name: string, more: Partial<HostInterface> = {}): HostInterface => ({
  ...{ name, type: 'ethernet', mac: '52:54:00:00:00:01', state: 'up', mtu: 1500, speed: 10_000, duplex: 'full' },
  ...{ ipv4: ['192.0.2.2/24'], ipv6: ['fe80::1/64'], gw4: '192.0.2.1', gw6: null, tag: null, ifaces: [] },
  ...{ bond_type: null, neighbor: null, ...more },
})

export const hostFacts = (hostname: string, more: Partial<HostFacts> = {}): HostFacts => ({
  ...{ machine_id: machineIdOf(hostname), hostname, os: 'Debian GNU/Linux 12 (bookworm)', kernel: '6.1.0' },
  booted_at: '2026-01-01T00:00:00.000Z',
  cpu: { model: 'EPYC', sockets: 1, cores: 8, threads: 16, usage: 0.1, load: [0.5, 0.5, 0.5] },
  memory: { total: 64 * GiB, available: 32 * GiB, swap_total: 0, swap_free: 0 },
  services: [],
  disks: [hostDisk('sda', { type: 'ssd', is_system: true, holders: ['/'], used: GiB }), hostDisk('sdb')],
  interfaces: [hostInterface('eth0')],
  traffic: { disk_read: GiB, disk_written: 2 * GiB, received: 3 * GiB, sent: 4 * GiB },
  ...{ clock_offset_ms: 3, clock_synchronized: true, restart_pending: false, rights: 'root', missing_programs: [] },
  ...{ unread: [], ...more },
})

/** Returns a machine ID that is derived from a name. */
export const machineIdOf = (name: string): string => Buffer.from(name).toString('hex').padEnd(32, '0').slice(0, 32)

export const HOST_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEhvc3RLZXlPZkFGYWtlSG9zdEZvclNwZWNzMDAwMDAw'

/** Simulated hosts for specs, by address; `local` is the host of the server. */
export function fakeHosts(): Hosts & { add(address: string, facts: HostFacts): FakeHost; opened: number } {
  const hosts = new Map<string, FakeHost>()
  const addressOf = (target: HostTarget) => (target.by === 'local' ? 'local' : target.address)
  const fake = {
    opened: 0,
    add(address: string, facts: HostFacts) {
      let links: AbortController[] = []
      const host: FakeHost & { links: () => AbortController[] } = {
        ...{ state: 'up', hostKey: HOST_KEY, facts, ran: [] },
        links: () => links,
        disconnect() {
          for (const link of links) link.abort(new Error('disconnected'))
          links = []
        },
      }
      hosts.set(address, host)
      return host
    },
    async open(target: HostTarget, signal: AbortSignal) {
      const address = addressOf(target)
      const host = hosts.get(address) as (FakeHost & { links(): AbortController[] }) | undefined
      const answer = async () => {
        if (host?.state === 'hangs') await sleep(3_600_000, undefined, { signal })
        if (!host || host.state === 'down')
          throw problem('infrastructure.host_no_answer', { host: address, reason: 'ECONNREFUSED' })
      }
      await answer()
      if (target.by === 'ssh' && target.hostKey !== host!.hostKey)
        throw new Problem('node_unreachable', `The host key of ${address} does not match the registered key`)
      fake.opened += 1
      const lost = new AbortController()
      host!.links().push(lost)
      return {
        link: {
          hostname: host!.facts.hostname,
          rights: host!.facts.rights,
          lost: lost.signal,
          async run(argv: readonly string[]) {
            await answer()
            host!.ran.push([...argv])
            return { status: 0, out: '', err: '' }
          },
          read: async () => null,
          replace: async () => '-',
          close: async () => lost.abort(new Error('closed')),
        },
        async read(limit: AbortSignal) {
          lost.signal.throwIfAborted()
          limit.throwIfAborted()
          await answer()
          return host!.facts
        },
      }
    },
  }
  return fake
}
