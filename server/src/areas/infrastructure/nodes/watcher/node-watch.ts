import { setTimeout as sleep } from 'node:timers/promises'
import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Hosts, OpenHost } from '@mainstay/engines/hosts/hosts'
import type { Log } from '@mainstay/engines/ports/records'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { Inventory } from '../../../../inventory/types'
import type { Sample } from '../../../../metrics/sample'
import type { Sampler } from '../../../../metrics/sampling'
import type { Lease } from '../../../../store/lease'
import { recordsOf, type NodeRecord } from '../node-record'
import { followComputeNodes } from '../node-rows'
import { endReinstalls } from '../registration/tokens'
import { statement } from '../statement'
import { samplesOf } from './node-samples'
import { observedOf } from './observed-rows'
import { steadyFacts } from './steady'
import { targetOf, userOf, withinTime, wordsOf } from './reach'
import { Turns } from './turns'
import { writeLost, writeObserved, writeProblem } from './write-node'

const LEASE = 'nodes.watch'
const LEASE_SECONDS = 12
const ASK_AGAIN_MS = 3_000

/** Interval at which the watcher looks for hosts that are due. */
const TICK_MS = 5_000
const EVERY_MS = 30_000
/** Interval at which the samples of new readings are stored. Shorter than the interval of readings, so none is lost. */
const SAMPLE_MS = 10_000
/** Interval between attempts while it is not certain whether a host is offline. */
const RETRY_MS = 15_000
/** Time limits for one reading: for opening the link, and in total. */
const CONNECT_MS = 8_000
const READ_MS = 20_000
/**
 * Maximum number of concurrent readings, counted separately for hosts that are known to be reachable and for other
 * hosts. Hosts that do not respond take the full time limit and must not delay the others.
 */
const AT_ONCE = 16
/** A node is offline when its link is lost and this many attempts have failed, which takes at most 120 s. */
const ATTEMPTS = 3
/** The time of the last reading is stored at least this often. */
const SEEN_MS = 5 * 60_000

export interface WatchTools {
  inventory: Pick<Inventory, 'transaction'>
  lease(name: string, seconds: number): Promise<Lease | null>
  /** Null if hosts are not read. Nodes are then only kept in sync with the engines. */
  hosts: Hosts | null
  privateKey(): Promise<Secret>
  log: Pick<Log, 'info' | 'warn' | 'debug'>
  /** Speed-up factor for tests. */
  pace?: number
}

/** State that the watcher keeps for each host. */
interface Watched {
  /** The target of the link. If the target changes, the link is opened again. */
  target: string
  open: OpenHost | null
  facts: HostFacts | null
  /** The data that was last written, and when (monotonic clock). */
  written: string
  writtenAt: number
  /** Failed attempts since the last reading. */
  failures: number
  /** When the host is read next (monotonic clock). */
  dueAt: number
  /** Whether an attempt to read the host has begun or is waiting for its turn. */
  isReading: boolean
}

interface Host {
  node: Node
  record: NodeRecord
  /** State of the host's compute node; undefined if it has none. */
  compute: string | undefined
}

/**
 * Reads the facts of all hosts at intervals, and writes them to the rows of nodes, disks and network interfaces. Only
 * one of the servers does this at a time.
 */
export class NodeWatch {
  private readonly closing = new AbortController()
  private readonly watched = new Map<string, Watched>()
  private running: Promise<void> = Promise.resolve()
  /** Attempts that have begun or are waiting for their turn. */
  private readonly attempts = new Set<Promise<void>>()
  /** Samples of the latest reading of each host that the sampler has not taken yet, by node ID. */
  private readonly samples = new Map<string, readonly Sample[]>()
  private readonly turns = { reachable: new Turns(AT_ONCE), others: new Turns(AT_ONCE) }

  private readonly tools: WatchTools

  constructor(tools: WatchTools) {
    this.tools = tools
  }

  start(): void {
    this.running = this.run()
  }

  /** Stores the load of the hosts that this server reads in the metrics store. */
  sampler(): Sampler {
    return {
      name: 'nodes',
      everyMs: SAMPLE_MS,
      by: 'each',
      take: async () => {
        const taken = [...this.samples.values()].flat()
        this.samples.clear()
        return taken
      },
    }
  }

  async close(): Promise<void> {
    this.closing.abort()
    await this.running
    await this.letGo()
  }

  /** Competes for the lease, and reads hosts while this server holds it. */
  private async run(): Promise<void> {
    const { log, pace = 1 } = this.tools
    const { signal } = this.closing
    while (!signal.aborted) {
      const lease = await this.tools.lease(LEASE, LEASE_SECONDS).catch((err: unknown) => {
        log.debug({ err }, 'failed to request the lease of the node watcher')
        return null
      })
      if (!lease) {
        await pause(ASK_AGAIN_MS / pace, signal)
        continue
      }
      await this.watch(AbortSignal.any([signal, lease.signal]))
      await Promise.all(this.attempts)
      await this.letGo()
      await lease.release().catch((err: unknown) => log.debug({ err }, 'failed to release a lease'))
    }
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const { log, pace = 1 } = this.tools
    while (!signal.aborted) {
      try {
        void (await this.begin({ signal }))
      } catch (err) {
        if (!signal.aborted) log.warn({ err }, 'failed to read the nodes')
      }
      await pause(TICK_MS / pace, signal)
    }
  }

  /**
   * Keeps nodes in sync with the engines, then reads the hosts that are due, or all hosts. Waits until they have been
   * read.
   */
  async round(options: { signal?: AbortSignal; all?: boolean } = {}): Promise<void> {
    await Promise.all(await this.begin(options))
  }

  /** Begins to read the hosts that are due. Returns the attempts. */
  private async begin({ signal = this.closing.signal, all = false } = {}): Promise<Promise<void>[]> {
    const states = await followComputeNodes(this.tools)
    await endReinstalls(this.tools)
    if (!this.tools.hosts) return []
    const begun: Promise<void>[] = []
    for (const host of await this.hosts(states, all)) {
      const watched = await this.watchedOf(host)
      if (watched.isReading) continue
      watched.isReading = true
      const turns = watched.open ? this.turns.reachable : this.turns.others
      const attempt = turns.take(() => this.attempt(host, watched, signal))
      this.attempts.add(attempt)
      begun.push(attempt)
      void attempt.finally(() => this.attempts.delete(attempt))
    }
    return begun
  }

  /** Returns the hosts with a link that are due. Forgets hosts that no longer exist. */
  private async hosts(states: ReadonlyMap<string, string>, all: boolean): Promise<Host[]> {
    const { inventory } = this.tools
    const now = performance.now()
    const linked: Node[] = []
    const due = await inventory.transaction(async (tx, db) => {
      const hosts: Host[] = []
      const recordIn = await recordsOf(db)
      linked.push(...(await tx.find<Node>('node', {})).filter(({ link }) => link.by !== 'engine'))
      for (const node of linked)
        if (all || (this.watched.get(node.id)?.dueAt ?? 0) <= now)
          hosts.push({ node, record: recordIn(node.id), compute: states.get(node.id) })
      return hosts
    })
    const present = new Set(linked.map(({ id }) => id))
    for (const id of this.watched.keys()) if (!present.has(id)) await this.forget(id)
    return due
  }

  /** Reads one host. Never throws, and never takes longer than the time limit. */
  private async attempt(host: Host, watched: Watched, signal: AbortSignal): Promise<void> {
    const { node } = host
    try {
      signal.throwIfAborted()
      const facts = await withinTime(READ_MS, { host: node.host, signal }, async (limit) => {
        watched.open ??= await this.open(host, watched, limit)
        return watched.open.read(limit)
      })
      const isAnother = node.link.by === 'ssh' && host.record.machine_id !== facts.machine_id
      if (isAnother) await this.failed(host, watched, statement('infrastructure.node_is_another', node).message, true)
      else await this.write(host, watched, facts)
    } catch (error) {
      if (!signal.aborted) await this.failed(host, watched, wordsOf(error, node.host), false)
    } finally {
      const { pace = 1 } = this.tools
      const isOpenQuestion = watched.failures > 0 && watched.failures < ATTEMPTS
      watched.dueAt = performance.now() + (isOpenQuestion ? RETRY_MS : EVERY_MS) / pace
      watched.isReading = false
    }
  }

  private async open({ node, record }: Host, watched: Watched, signal: AbortSignal): Promise<OpenHost> {
    const target = await targetOf(node, record, this.tools.privateKey)
    const opened = await withinTime(CONNECT_MS, { host: node.host, signal }, async (limit) => {
      const late = await this.tools.hosts!.open(target, limit)
      if (limit.aborted) await late.link.close()
      return late
    })
    opened.link.lost.addEventListener('abort', () => {
      if (watched.open !== opened) return
      watched.open = null
      watched.dueAt = 0
    })
    return opened
  }

  private async write(host: Host, watched: Watched, read: HostFacts): Promise<void> {
    const facts = steadyFacts(watched.facts, read)
    const observed = observedOf(facts, userOf(host.record))
    const text = JSON.stringify([observed, host.compute])
    watched.facts = facts
    this.samples.set(host.node.id, samplesOf(host.node, read))
    watched.failures = 0
    const now = performance.now()
    if (text === watched.written && now - watched.writtenAt < SEEN_MS) return
    await writeObserved(this.tools, host.node.id, observed)
    Object.assign(watched, { written: text, writtenAt: now })
  }

  /** Counts a failed attempt, or (`isCertain`) marks the node offline at once. */
  private async failed({ node }: Host, watched: Watched, words: string, isCertain: boolean): Promise<void> {
    watched.failures += 1
    watched.written = ''
    await this.disconnect(watched)
    // this server runs on the local host, which may only be too busy to answer in time
    const isLost = node.link.by !== 'local' && (isCertain || watched.failures >= ATTEMPTS)
    if (node.link.problem === words && (!isLost || !node.is_online)) return
    try {
      await (isLost || (!node.is_online && node.link.by !== 'local') ? writeLost : writeProblem)(
        this.tools,
        node.id,
        words,
      )
    } catch (err) {
      this.tools.log.warn({ err, node: node.host }, 'failed to write the state of a node')
    }
  }

  private async watchedOf({ node, record }: Host): Promise<Watched> {
    const target = JSON.stringify([node.link.by, record.ssh])
    const known = this.watched.get(node.id)
    if (known?.target === target) return known
    if (known) await this.disconnect(known)
    const fresh: Watched = {
      ...{ target, open: null, facts: null, written: '', writtenAt: 0, failures: 0, dueAt: 0, isReading: false },
    }
    this.watched.set(node.id, fresh)
    return fresh
  }

  private async disconnect(watched: Watched): Promise<void> {
    const { open } = watched
    watched.open = null
    await open?.link.close().catch(() => undefined)
  }

  private async forget(id: string): Promise<void> {
    const known = this.watched.get(id)
    this.watched.delete(id)
    this.samples.delete(id)
    if (known) await this.disconnect(known)
  }

  private async letGo(): Promise<void> {
    await Promise.all([...this.watched.keys()].map((id) => this.forget(id)))
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
