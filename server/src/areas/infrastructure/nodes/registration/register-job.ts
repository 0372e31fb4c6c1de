import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { says } from '@mainstay/contract/core/said'
import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import type { Node, NodeLinkState } from '@mainstay/contract/infrastructure/nodes'
import type { RecordsTransaction, RunAgain } from '@mainstay/engines/ports/records'
import type { Transaction } from 'kysely'
import * as z from 'zod'
import { job } from '../../../../module'
import type { Database } from '../../../../store/schema'
import type { RunOf } from '../../../../tasks/job'
import type { Tools } from '../../../../tools'
import { installationKey } from '../installation-key'
import { hostsOf, refuseBusy } from '../node-of'
import { changeNode, changeRecord, recordsOf } from '../node-record'
import { newNode, noLink, NODES_LOCK } from '../node-rows'
import { targetOf, withinTime } from '../watcher/reach'
import { removalCommand } from './command'

const Args = z.strictObject({
  node_id: z.string(),
  hostname: z.string(),
  machine_id: z.string(),
  ssh: z.strictObject({ address: z.string(), port: z.number(), user: z.string(), host_key: z.string() }),
  /** Whether the host replaces the host of an existing node. */
  replaces: z.boolean(),
})
export type RegisterArgs = z.infer<typeof Args>
type Run = RunOf<RegisterArgs>

const CONNECT_MS = 5_000
const TRY_AGAIN_MS = 2_000
/** How long to try to connect, because the SSH server of the host may still be starting. */
const TRY_FOR_MS = 60_000
const OPEN_MS = 20_000
const READ_MS = 30_000

/** Returns the SHA-256 fingerprint of a public key, in the format of `ssh-keygen -l`. */
export const fingerprintOf = (hostKey: string): string =>
  `SHA256:${createHash('sha256')
    .update(Buffer.from(hostKey.split(' ')[1]!, 'base64'))
    .digest('base64')
    .replace(/=+$/, '')}`

/** Connects and disconnects. Returns the reason if the connection fails. */
const faultOfConnect = (address: string, port: number, signal: AbortSignal): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port, signal, timeout: CONNECT_MS })
    const end = (reason: string | null) => {
      socket.destroy()
      resolve(reason)
    }
    socket.once('connect', () => end(null))
    socket.once('timeout', () => end('timeout'))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })

/** Connects to the host with the host key that it reported, and reads its facts if requested. */
async function visit({ args, signal }: Run, tools: Tools): Promise<HostFacts>
async function visit({ args, signal }: Run, tools: Tools, what: 'link'): Promise<null>
async function visit({ args, signal }: Run, tools: Tools, what?: 'link'): Promise<HostFacts | null> {
  const key = async () => (await installationKey(tools.settings)).privateKey
  const host = { host: args.hostname, link: { ...noLink, by: 'ssh' as const } }
  const target = await targetOf(host, args, key)
  const of = { host: args.hostname, signal }
  const opened = await withinTime(OPEN_MS, of, async (limit) => hostsOf(tools).open(target, limit))
  try {
    return what === 'link' ? null : await withinTime(READ_MS, of, (limit) => opened.read(limit))
  } finally {
    await opened.link.close().catch(() => undefined)
  }
}

/**
 * Returns the ID of the node that a host becomes: the ID of the node that it replaces, the ID that an engine has
 * assigned to the host, or a new one (`node_id`). Throws if the machine is already another node, or if its name belongs
 * to another node.
 */
export async function nodeIdFor(
  tx: RecordsTransaction,
  db: Transaction<Database>,
  { node_id, hostname, machine_id, replaces }: Pick<RegisterArgs, 'node_id' | 'hostname' | 'machine_id' | 'replaces'>,
): Promise<string> {
  await tx.exclusive(NODES_LOCK)
  const nodes = await tx.find<Node>('node', {})
  const recordIn = await recordsOf(db)
  const same = nodes.find(({ id }) => id !== node_id && recordIn(id).machine_id === machine_id)
  if (same) throw problem('infrastructure.node_known', { host: same.host })
  if (replaces) return node_id
  const named = nodes.find(({ host }) => host === hostname)
  if (!named) return (await tx.find<ComputeNode>('compute_node', { host: hostname }))[0]?.id ?? node_id
  // the job may run again if the server was stopped
  if (named.id === node_id && recordIn(node_id).machine_id === machine_id) return node_id
  if (named.link.by !== 'engine') throw problem('infrastructure.node_name_taken', { host: hostname })
  // the job of this registration is itself a job on `node_id`
  if (named.id !== node_id) await refuseBusy(db, named)
  return named.id
}

/** Waits until the SSH server of the host accepts connections. */
async function reach({ args: { ssh }, signal, time, since }: Run): Promise<void | RunAgain> {
  const reason = await faultOfConnect(ssh.address, ssh.port, signal)
  signal.throwIfAborted()
  if (reason === null) return
  if (time - since < TRY_FOR_MS) return { again: TRY_AGAIN_MS }
  throw problem('infrastructure.host_no_answer', { host: ssh.address, reason })
}

async function compareMachine(run: Run, tools: Tools): Promise<void> {
  const { machine_id } = await visit(run, tools)
  if (machine_id === run.args.machine_id) return
  throw problem('infrastructure.registered_another', { address: run.args.ssh.address })
}

/** Adds the host as a node, or connects it to the existing node that it replaces. */
async function add({ args }: Run, { inventory }: Tools): Promise<void> {
  const { hostname, machine_id, ssh, replaces } = args
  const link: NodeLinkState = {
    ...{ by: 'ssh', address: ssh.address, port: ssh.port, host_key: fingerprintOf(ssh.host_key) },
    ...{ rights: null, problem: null },
  }
  await inventory.transaction(async (tx, db) => {
    const id = await nodeIdFor(tx, db, args)
    const reached = { link, is_online: true, activity: null, tasks: [] }
    const known = await changeNode(tx, id, () => reached)
    if (!known && replaces) throw problem('infrastructure.node_deleted', { host: hostname })
    if (!known) await tx.put('node', newNode({ id, host: hostname, ...reached }))
    await changeRecord(tx, id, { machine_id, ssh, reinstall: null })
  })
}

/**
 * Defines a step of the job. If the step fails, its error explains how to remove our key from the host, because there
 * is no node yet that an operator could delete instead.
 */
const step = (name: string, work: (run: Run, tools: Tools) => Promise<void | RunAgain>) => ({
  name,
  async run(run: Run, tools: Tools): Promise<void | RunAgain> {
    try {
      return await work(run, tools)
    } catch (error) {
      const { replaces, ssh } = run.args
      if (replaces || !(error instanceof Problem)) throw error
      const command = removalCommand((await installationKey(tools.settings)).publicKey, ssh.user)
      const reason = error.message.replace(/\.$/, '')
      throw new Problem(error.code, says('infrastructure.not_registered', { reason, command }))
    }
  },
})

/** Job that connects to a host that has reported itself, and adds it as a node. */
export const registering = job({
  name: 'node.register',
  args: Args,
  steps: [
    step('reach', reach),
    step('compare_key', async (run, tools) => void (await visit(run, tools, 'link'))),
    step('read_facts', compareMachine),
    step('add', add),
  ],
  async onFailure({ args }, _, { inventory }) {
    if (!args.replaces) return
    // the token has been used
    await inventory.transaction(async (tx) => {
      await changeNode(tx, args.node_id, () => ({ activity: null }))
    })
  },
})
