import { randomUUID } from 'node:crypto'
import type { HostFacts, HostInterface, UnreadFact } from '@mainstay/contract/infrastructure/node-facts'
import { unknownTime } from '@mainstay/contract/core/names'
import { says } from '@mainstay/contract/core/said'
import type { Log } from '../../ports/records'
import { parseMemory } from '../../host/memory'
import { LinkFault } from '../link-fault'
import type { NodeLink } from '../node-link'
import { parseLoad, parseLscpu, parseStat, usageBetween, type CpuTimes, type KernelStat } from './cpu'
import { parseDisks } from './disks'
import { parseGateways, parseInterfaces, parsePorts } from './interfaces'
import { parseNeighbors } from './neighbors'
import { NOT_INSTALLED, partsIn, TIMED_OUT, type Part } from './parts'
import { parseFailedUnits, parseSystemState } from './services'
import { parseSmart, unreadSmart, type Smart } from './smart'
import { factsScript, programOf, smartScript } from './sources'
import { parseDiskStats, parseNetDev, trafficOf } from './traffic'
import { type Identity, parseIdentity, parseOs, parseRestartPending, parseSynchronized } from './system'

interface Options {
  log: Pick<Log, 'warn'>
  /** Data folder of the platform on this host. */
  dataFolder?: string
}

const READ_MS = 30_000
const SMART_MS = 60_000
/** Minimum interval between two SMART readings, because some disks interrupt their work for a reading. */
const SMART_EVERY_MS = 10 * 60_000

/** Sources that a fact requires. Without any other source, the fact is readable but lacks details. */
const sourcesOf: Readonly<Record<UnreadFact, readonly string[]>> = {
  os: ['os'],
  booted_at: ['stat'],
  cpu: ['lscpu', 'stat', 'load'],
  memory: ['memory'],
  services: ['system', 'failed'],
  disks: ['lsblk'],
  interfaces: ['interfaces', 'ports', 'routes4', 'routes6'],
  neighbors: ['neighbors'],
  clock_offset_ms: ['date'],
  clock_synchronized: ['clock'],
  restart_pending: ['kernels'],
}
/**
 * Programs whose absence means that a host has no such facts. If any other program is missing, its facts are unknown.
 */
const dispensable: readonly (string | undefined)[] = ['systemctl', 'timedatectl', 'lldpctl']
const isNoFact = (source: string): boolean => dispensable.includes(programOf[source])

const noCpu = { model: null, sockets: 0, cores: 0, threads: 0 }
const noMemory = { total: 0, available: 0, swap_total: 0, swap_free: 0 }

/** Reads the facts of one host repeatedly, with two commands per reading. */
export class FactsReader {
  private readonly asRoot: boolean
  private times: CpuTimes | null = null
  private readonly smart = new Map<string, Smart>()
  private smartOf = ''
  private smartAt = -Infinity
  private lacksSmart = false
  /** When the files that grant root privileges were last changed; null before the first reading. */
  private sudoers: string | null = null
  /** Whether the platform may have been granted root privileges since the link was opened without them. */
  mayHaveMoreRights = false
  /** Sources whose output could not be read the last time. Their facts have no meaning in this reading. */
  readonly unreadable = new Set<string>()

  private readonly link: NodeLink
  private readonly options: Options

  constructor(link: NodeLink, options: Options) {
    this.link = link
    this.options = options
    this.asRoot = link.rights !== 'none'
  }

  /**
   * Reads all facts. Throws if the host does not respond or does not report which system it runs. If a source cannot be
   * read, only its own facts are unread.
   */
  async read(signal: AbortSignal): Promise<HostFacts> {
    const { link, asRoot } = this
    const clockOffset = await this.clockOffset(signal)
    const parts = await this.run(factsScript, [], { signal, withinMs: READ_MS })
    this.compareSudoers(parts.get('sudoers')?.text ?? '')
    const missing = new Set<string>()
    const take = <Value>(name: string, parse: (text: string) => Value, unknown: Value): Value =>
      this.parsed(name, parts.get(name), missing, parse) ?? unknown

    const identity = take<Identity | null>('identity', parseIdentity, null)
    if (!identity) throw this.answersWrongly()
    const stat = take<KernelStat | null>('stat', parseStat, null)
    const disks = take('lsblk', (text) => parseDisks(text, this.options.dataFolder), [])
    const interfaces = interfacesOf(take)
    // bytes of unknown disks or interfaces cannot be told from those of other devices
    const counted = <Counts>(of: 'lsblk' | 'interfaces', name: string, parse: (text: string) => Counts) =>
      parts.get(of)?.status === 0 && !this.unreadable.has(of) ? take<Counts | null>(name, parse, null) : null
    const facts: HostFacts = {
      ...identity,
      os: take('os', parseOs, ''),
      booted_at: stat?.bootedAt.toISOString() ?? unknownTime,
      cpu: {
        ...take('lscpu', parseLscpu, noCpu),
        usage: stat ? usageBetween(this.times, stat.times) : null,
        load: take('load', parseLoad, [0, 0, 0]),
      },
      memory: take('memory', parseMemory, noMemory),
      services: [...take('system', parseSystemState, []), ...take('failed', parseFailedUnits, [])],
      disks: disks.map((disk) => ({ ...disk, ...(this.smart.get(disk.device) ?? unreadSmart) })),
      interfaces,
      traffic: trafficOf(
        { disks, interfaces },
        {
          ofDisks: counted('lsblk', 'diskstats', parseDiskStats),
          ofInterfaces: counted('interfaces', 'netdev', parseNetDev),
        },
      ),
      clock_offset_ms: clockOffset,
      clock_synchronized: take('clock', parseSynchronized, null),
      restart_pending: take('kernels', (text) => parseRestartPending(text, identity.kernel), false),
      rights: link.rights,
      ...{ missing_programs: [], unread: [] },
    }
    this.times = stat?.times ?? null
    if (asRoot) this.refreshSmart(disks.map(({ device }) => device))
    if (this.lacksSmart) missing.add('smartctl')
    const isUnread = (source: string) =>
      this.unreadable.has(source) || (parts.get(source)?.status === NOT_INSTALLED && !isNoFact(source))
    const unread = Object.keys(sourcesOf) as UnreadFact[]
    return {
      ...facts,
      missing_programs: [...missing].toSorted(),
      unread: unread.filter((fact) => sourcesOf[fact].some(isUnread)),
    }
  }

  /**
   * Returns the host's clock minus the server's clock in milliseconds, measured halfway through a request. Returns 0 if
   * the duration of the request alone can explain the difference.
   */
  private async clockOffset(signal: AbortSignal): Promise<number> {
    const [askedAt, begun] = [Date.now(), performance.now()]
    const { out } = await this.link.run(['date', '+%s.%N'], { signal, withinMs: READ_MS })
    const half = (performance.now() - begun) / 2
    const offset = this.parsed('date', { text: out, status: 0 }, new Set(), parseSeconds)
    if (offset === null) return 0
    const difference = offset * 1000 - (askedAt + half)
    return Math.abs(difference) <= half + 1 ? 0 : Math.round(difference)
  }

  private async run(script: string, args: readonly string[], limits: { signal?: AbortSignal; withinMs: number }) {
    const mark = `== ${randomUUID()}`
    const command = ['sh', '-c', script, 'sh', mark, ...args]
    const { status, out } = await this.link.run(command, { asRoot: this.asRoot, ...limits })
    if (status !== 0) throw this.answersWrongly()
    return partsIn(out, mark)
  }

  /** Trying `sudo` at each reading instead would fill the logs of the host with refusals. */
  private compareSudoers(changed: string): void {
    if (!this.asRoot && this.sudoers !== null && changed !== this.sudoers) this.mayHaveMoreRights = true
    this.sudoers = changed
  }

  private answersWrongly(): LinkFault {
    return new LinkFault('bridge_fault', says('infrastructure.host_no_shell', { host: this.link.hostname }))
  }

  /**
   * Parses the output of one source. Returns null if the program is missing, or if its output cannot be read, which is
   * logged once.
   */
  private parsed<Value>(
    name: string,
    part: Part | undefined,
    missing: Set<string>,
    parse: (text: string) => Value,
  ): Value | null {
    const program = programOf[name]
    if (part?.status === NOT_INSTALLED && program !== undefined) {
      missing.add(program)
      return null
    }
    try {
      if (!part) throw new Error('no output')
      if (part.status === TIMED_OUT) throw new Error('not done in time')
      const value = parse(part.text)
      this.unreadable.delete(name)
      return value
    } catch (err) {
      if (!this.unreadable.has(name))
        this.options.log.warn({ err, host: this.link.hostname, source: name }, 'failed to read facts of a host')
      this.unreadable.add(name)
      return null
    }
  }

  /**
   * Starts reading SMART data if it is due or the disks have changed. Does not wait for slow disks: the result is part
   * of the next reading.
   */
  private refreshSmart(devices: readonly string[]): void {
    const now = performance.now()
    const of = devices.join(' ')
    if (devices.length === 0 || (of === this.smartOf && now - this.smartAt < SMART_EVERY_MS)) return
    this.smartOf = of
    this.smartAt = now
    this.readSmart(devices).catch((err: unknown) => {
      if (!this.link.lost.aborted)
        this.options.log.warn({ err, host: this.link.hostname }, 'failed to read the SMART data of a host')
    })
  }

  private async readSmart(devices: readonly string[]): Promise<void> {
    const parts = await this.run(smartScript, devices, { withinMs: SMART_MS })
    this.lacksSmart = [...parts.values()].some(({ status }) => status === NOT_INSTALLED)
    for (const device of this.smart.keys()) if (!devices.includes(device)) this.smart.delete(device)
    if (this.lacksSmart) return
    for (const device of devices) {
      const smart = this.parsed(`smartctl ${device}`, parts.get(device), new Set(), parseSmart)
      if (smart) this.smart.set(device, smart)
    }
  }
}

function parseSeconds(text: string): number {
  if (!/^\d+\.\d+\n$/.test(text)) throw new Error('no time')
  return Number(text)
}

type Take = <Value>(name: string, parse: (text: string) => Value, unknown: Value) => Value

/** Returns the interfaces, with the speeds, gateways and neighbors from the other sources. */
function interfacesOf(take: Take): HostInterface[] {
  const ports = take('ports', parsePorts, new Map<string, never>())
  const [gateways4, gateways6] = [
    take('routes4', parseGateways, new Map<string, string>()),
    take('routes6', parseGateways, new Map<string, string>()),
  ]
  const neighbors = take('neighbors', parseNeighbors, new Map<string, never>())
  return take('interfaces', parseInterfaces, []).map((found) => ({
    ...found,
    ...(ports.get(found.name) ?? { speed: null, duplex: null }),
    gw4: gateways4.get(found.name) ?? null,
    gw6: gateways6.get(found.name) ?? null,
    neighbor: neighbors.get(found.name) ?? null,
  }))
}
