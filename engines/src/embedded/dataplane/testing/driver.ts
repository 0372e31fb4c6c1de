import { join } from 'node:path'
import process from 'node:process'
import { serviceUser } from '../../../host/service-users'
import { openCapsule } from '../capsule/capsule'
import { servicesIn } from '../services/daemons'
import { openDataplane, type OpenDataplane } from '../dataplane'
import type { Dataplane, MetadataRequest } from '../wanted'
import { answerCalls } from './answer-calls'

/*
 * A server of networks alone, in a process of its own: specs run it as root and as an ordinary user, and kill it. Its
 * first word is a folder; calls come as messages.
 */

const folder = process.argv[2] ?? ''
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (details: object, message: string) => {
    const shown = JSON.stringify(details, (_, value: unknown) => (value instanceof Error ? value.message : value))
    process.stderr.write(`${message} ${shown}\n`)
  },
}

async function open() {
  let dataplane: OpenDataplane | null = null
  const capsule = await openCapsule({
    folder: join(folder, 'network'),
    log,
    machines: () => dataplane?.processes() ?? servicesIn(join(folder, 'networks')),
  })
  const user = await serviceUser('vm')
  dataplane = await openDataplane({ folder: join(folder, 'networks'), capsule, user, log, devices: 'spaces' })
  dataplane.answerMetadata(async ({ networkId, address, portId, path }: MetadataRequest) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ networkId, address, portId, path }),
  }))
  return { capsule, dataplane }
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

answerCalls(opened, async ({ capsule, dataplane }, call, args) => {
  if (call === 'pids')
    return 'impossible' in capsule ? capsule.impossible : { holder: capsule.holder.pid, slirp: capsule.uplink.pid }
  if (call === 'look') return 'impossible' in capsule ? null : capsule.look()
  if (call === 'finish') {
    await dataplane.close()
    await dataplane.end()
    if (!('impossible' in capsule)) await capsule.close(true)
    return null
  }
  return (dataplane[call as Calls] as (...words: unknown[]) => Promise<unknown>)(...args)
})

export interface DriverCalls extends Pick<Dataplane, Calls> {
  pids(): Promise<{ holder: number; slirp: number }>
  look(): Promise<void>
  finish(): Promise<void>
}
