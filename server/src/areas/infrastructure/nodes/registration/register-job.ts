import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { problem } from '@mainstay/contract/core/problems'
import type { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import type { Node, NodeLinkState } from '@mainstay/contract/infrastructure/nodes'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import { job } from '../../../../module'
import type { RunOf } from '../../../../tasks/job'
import type { Tools } from '../../../../tools'
import { installationKey } from '../installation-key'
import { hostsOf } from '../node-of'
import { changeNode, changeRecord, recordOf } from '../node-record'
import { newNode, noLink, NODES_LOCK } from '../node-rows'
import { targetOf, withinTime } from '../watcher/reach'

const Args = z.strictObject({
  node_id: z.string(),
  hostname: z.string(),
  machine_id: z.string(),
  ssh: z.strictObject({ address: z.string(), port: z.number(), user: z.string(), host_key: z.string() }),
  /** Whether the host takes the place of an existing node. */
  replaces: z.boolean(),
})
export type RegisterArgs = z.infer<typeof Args>
type Run = RunOf<RegisterArgs>

const CONNECT_MS = 5_000
const TRY_AGAIN_MS = 2_000
/** The SSH server of a host may only just be starting. */
const TRY_FOR_MS = 60_000
const OPEN_MS = 20_000
const READ_MS = 30_000

/** SHA-256 fingerprint of a public key, as `ssh-keygen -l` prints it. */
export const fingerprintOf = (hostKey: string): string =>
  `SHA256:${createHash('sha256')
    .update(Buffer.from(hostKey.split(' ')[1]!, 'base64'))
    .digest('base64')
    .replace(/=+$/, '')}`

/** Connects and disconnects. Returns the reason if that fails. */
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

/** Opens a link with the reported host key, and reads the facts of the host if asked to. */
async function visit({ args, signal }: Run, tools: Tools): Promise<HostFacts>
async function visit({ args, signal }: Run, tools: Tools, what: 'link'): Promise<null>
async function visit({ args, signal }: Run, tools: Tools, what?: 'link'): Promise<HostFacts | null> {
  const key = async () => (await installationKey(tools.settings)).privateKey
  const host = { host: args.hostname, link: { ...noLink, by: 'ssh' as const } }
  const target = await targetOf(host, args, key)
  const opened = await withinTime(OPEN_MS, signal, async (limit) => hostsOf(tools).open(target, limit))
  try {
    return what === 'link' ? null : await withinTime(READ_MS, signal, (limit) => opened.read(limit))
  } finally {
    await opened.link.close().catch(() => undefined)
  }
}

/** Throws if this machine is already another node. */
export async function refuseKnownMachine(
  tx: RecordsTransaction,
  { node_id, machine_id }: Pick<RegisterArgs, 'node_id' | 'machine_id'>,
): Promise<void> {
  for (const node of await tx.find<Node>('node', {})) {
    if (node.id === node_id) continue
    if ((await recordOf(tx, node.id)).machine_id === machine_id)
      throw problem('infrastructure.node_known', { host: node.host })
  }
}

/** Adds the host as a node, or lets it take the place of its node. */
async function add({ args }: Run, { inventory }: Tools): Promise<void> {
  const { hostname, machine_id, ssh, replaces } = args
  const link: NodeLinkState = {
    ...{ by: 'ssh', address: ssh.address, port: ssh.port, host_key: fingerprintOf(ssh.host_key) },
    ...{ rights: null, problem: null },
  }
  await inventory.transaction(async (tx) => {
    await tx.exclusive(NODES_LOCK)
    await refuseKnownMachine(tx, args)
    const [compute] = await tx.find<ComputeNode>('compute_node', { host: hostname })
    // an engine may already report this host as a node
    const id = replaces ? args.node_id : (compute?.id ?? args.node_id)
    const reached = { link, is_online: true, activity: null, tasks: [] }
    const known = await changeNode(tx, id, () => reached)
    if (!known && replaces) throw problem('infrastructure.node_deleted', { host: hostname })
    if (!known) await tx.put('node', newNode({ id, host: hostname, ...reached }))
    await changeRecord(tx, id, { machine_id, ssh, reinstall: null })
  })
}

/** Reaches a host that has reported itself, and adds it as a node. */
export const registering = job({
  name: 'node.register',
  args: Args,
  steps: [
    {
      name: 'reach',
      async run({ args: { ssh }, signal, time, since }) {
        const reason = await faultOfConnect(ssh.address, ssh.port, signal)
        signal.throwIfAborted()
        if (reason === null) return
        if (time - since < TRY_FOR_MS) return { again: TRY_AGAIN_MS }
        throw problem('infrastructure.host_no_answer', { host: ssh.address, reason })
      },
    },
    {
      name: 'compare_key',
      async run(run, tools) {
        await visit(run, tools, 'link')
      },
    },
    {
      name: 'read_facts',
      async run(run, tools) {
        const { machine_id } = await visit(run, tools)
        if (machine_id !== run.args.machine_id)
          throw problem('infrastructure.registered_another', { address: run.args.ssh.address })
      },
    },
    {
      name: 'add',
      async run(run, tools) {
        await add(run, tools)
      },
    },
  ],
  async onFailure({ args }, _, { inventory }) {
    if (!args.replaces) return
    // its token is used up
    await inventory.transaction(async (tx) => {
      await changeNode(tx, args.node_id, () => ({ activity: null }))
    })
  },
})
