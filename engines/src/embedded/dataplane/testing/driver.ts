import { join } from 'node:path'
import process from 'node:process'
import { openHostNetworks } from '../host-networks'
import { networkUsers } from '../services/users'
import type { Dataplane, MetadataRequest } from '../../../network-model/wanted'
import { answerCalls } from './answer-calls'

/*
 * A server that provides only networks, in a separate process: specs run it as root or as an ordinary user, and kill
 * it. Its first argument is a folder; calls arrive as messages.
 */

const folder = process.argv[2] ?? ''
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (details: object, message: string) => {
    const shown = JSON.stringify(details, (_, value: unknown) => (value instanceof Error ? value.message : value))
    process.stderr.write(`${message} ${shown}\n`)
  },
}

async function open() {
  const networks = await openHostNetworks({
    folder: join(folder, 'network'),
    networksFolder: join(folder, 'networks'),
    ...{ users: await networkUsers(), log, machines: () => [], devices: 'spaces' },
  })
  networks.dataplane.answerMetadata(async ({ networkId, address, portId, path }: MetadataRequest) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ networkId, address, portId, path }),
  }))
  return networks
}

const opened = open()

type Calls =
  | 'probe'
  | 'apply'
  | 'plug'
  | 'unplug'
  | 'counters'
  | 'health'
  | 'check'
  | 'balancers'
  | 'tunnels'
  | 'restartTunnel'

answerCalls(opened, async (networks, call, args) => {
  const { capsule, dataplane } = networks
  if (call === 'pids') return capsule && { holder: capsule.holder.pid, slirp: capsule.uplink.pid }
  if (call === 'look') return capsule?.look()
  if (call === 'retry') return networks.retry()
  if (call === 'finish') return networks.close(true)
  return (dataplane[call as Calls] as (...words: unknown[]) => Promise<unknown>)(...args)
})

export interface DriverCalls extends Pick<Dataplane, Calls> {
  pids(): Promise<{ holder: number; slirp: number }>
  look(): Promise<void>
  /** Retries the networking setup now. */
  retry(): Promise<void>
  finish(): Promise<void>
}
