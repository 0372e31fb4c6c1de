import { placeOf } from '../../../network-model/compile/haproxy'
import type { BackendPlan, BalancerPlan } from '../../../network-model/compile/plan'
import { ask } from './haproxy-socket'

/*
 * Changes that HAProxy applies at run time: servers (members of pools), their weights, and certificates. They are
 * computed from the state of the running process, regardless of earlier changes.
 */

/** Maximum number of commands per line; HAProxy reads at most 16 KiB per line. */
const mostOrders = 50
/** Maximum size of a certificate including its command, in bytes. */
const mostCertificateBytes = 14_000

/** A row of `show servers state`. */
interface LiveServer {
  address: string
  port: number
  weight: number
  /** Administrative state flags; 0: in use. */
  admin: number
  isAsked: boolean
}

interface Live {
  skeleton: string | null
  /** Servers by backend name and server name. */
  servers: Map<string, Map<string, LiveServer>>
}

const [checkIsOn, forcedMaintenance] = [4, 1]

function parseLive(said: string): Live {
  const live: Live = { skeleton: /^description: (\S+)$/m.exec(said)?.[1] ?? null, servers: new Map() }
  for (const line of said.split('\n')) {
    const cells = line.split(' ')
    const [, backend = '', , name = '', address = '', , admin, weight] = cells
    if (cells.length < 20 || line.startsWith('#')) continue
    if (!live.servers.has(backend)) live.servers.set(backend, new Map())
    const isAsked = (Number(cells[13]) & checkIsOn) !== 0
    const known = { address, port: Number(cells[18]), weight: Number(weight), admin: Number(admin), isAsked }
    live.servers.get(backend)!.set(name, known)
  }
  return live
}

const readLive = async (stats: string) => parseLive(await ask(stats, 'show info; show servers state'))

/**
 * Applies the planned members to the running HAProxy. Returns false if that is not possible and HAProxy must be
 * reloaded. Members are added before others are removed, so that a pool is never temporarily empty. A removed member
 * that still has connections receives no new ones, and is deleted during a later change.
 */
export async function changeLive(stats: string, plan: BalancerPlan, changed: Record<string, string>): Promise<boolean> {
  const live = await readLive(stats)
  if (live.skeleton !== plan.skeleton) return false
  const orders: string[] = []
  for (const backend of plan.backends) {
    const its = ordersFor(backend, live.servers.get(backend.name) ?? new Map<string, LiveServer>(), plan.pair !== null)
    if (its === null) return false
    orders.push(...its)
  }
  for (let at = 0; at < orders.length; at += mostOrders) await ask(stats, orders.slice(at, at + mostOrders).join('; '))
  if (orders.length > 0 && !isAsPlanned(plan, await readLive(stats))) return false
  for (const [name, text] of Object.entries(changed)) if (!(await changeCertificate(stats, name, text))) return false
  return true
}

/**
 * Returns the command that sets the health of a member to `up`. While the address of a pair moves, health checks
 * receive no response. A member whose health is unknown would be taken out of rotation after one failed check, until
 * enough checks succeed. Once its health is set to `up`, this takes the usual number of failed checks.
 */
const trust = (target: string) => `set server ${target} health up`

/** Makes a newly started HAProxy of a pair tolerate a single failed check per member. */
export async function trustMembers(stats: string, { pair, backends }: BalancerPlan): Promise<void> {
  if (pair === null) return
  const orders = backends
    .filter(({ isAsked }) => isAsked)
    .flatMap(({ name, servers }) => [...servers.keys()].map((id) => trust(`${name}/${id}`)))
  for (let at = 0; at < orders.length; at += mostOrders) await ask(stats, orders.slice(at, at + mostOrders).join('; '))
}

/** Returns the commands for one backend, or null if a reload is required. */
function ordersFor(backend: BackendPlan, now: ReadonlyMap<string, LiveServer>, isOfPair: boolean): string[] | null {
  const { name, servers, words, isAsked, isAskedByProgram, sticksByCookie } = backend
  const coming: string[] = []
  for (const [id, server] of servers) {
    const known = now.get(id)
    const target = `${name}/${id}`
    if (!known) {
      if (isAskedByProgram) return null
      coming.push(`add server ${target} ${placeOf(server)} weight ${server.weight} ${words}`.trimEnd())
    } else {
      if (known.address !== server.address || known.port !== server.port)
        coming.push(`set server ${target} addr ${server.address} port ${server.port}`)
      if (known.weight !== server.weight) coming.push(`set server ${target} weight ${server.weight}`)
    }
    if (!known || known.admin !== 0) coming.push(`set server ${target} state ready`)
    if (isAsked && !known?.isAsked) coming.push(`enable health ${target}`)
    if (isAsked && !known && isOfPair) coming.push(trust(target))
  }
  // generates the cookies of new servers
  if (sticksByCookie && coming.some((order) => order.startsWith('add ')))
    coming.push(`enable dynamic-cookie backend ${name}`)
  const going = [...now].filter(([id]) => !servers.has(id))
  return [
    ...coming,
    ...going
      .filter(([, { admin }]) => (admin & forcedMaintenance) === 0)
      .map(([id]) => `set server ${name}/${id} state maint`),
    ...going.map(([id]) => `del server ${name}/${id}`),
  ]
}

function isAsPlanned({ backends }: BalancerPlan, { servers }: Live): boolean {
  return backends.every((backend) => {
    const now = servers.get(backend.name) ?? new Map<string, LiveServer>()
    const isIn = [...backend.servers].every(([id, { address, port, weight }]) => {
      const it = now.get(id)
      if (!it || it.admin !== 0 || (backend.isAsked && !it.isAsked)) return false
      return it.address === address && it.port === port && it.weight === weight
    })
    return isIn && [...now].every(([id, { admin }]) => backend.servers.has(id) || (admin & forcedMaintenance) !== 0)
  })
}

async function changeCertificate(stats: string, name: string, text: string): Promise<boolean> {
  if (text.length > mostCertificateBytes) return false
  await ask(stats, `set ssl cert ${name} <<\n${text.replaceAll(/\n+/g, '\n')}`)
  return (await ask(stats, `commit ssl cert ${name}`)).includes('Success!')
}

/**
 * Filters `show servers state` for the next process, which inherits the members' health; their weights and
 * administrative state come from the configuration.
 */
export function stateFor({ backends }: BalancerPlan, said: string): string {
  const wanted = new Map(backends.map(({ name, servers }) => [name, servers]))
  const lines = said.split('\n').flatMap((line) => {
    const cells = line.split(' ')
    if (cells.length < 20 || line.startsWith('#')) return [line]
    const server = wanted.get(cells[1]!)?.get(cells[3]!)
    if (!server || cells[4] !== server.address || cells[6] !== '0') return []
    return [cells.with(7, String(server.weight)).with(8, String(server.weight)).join(' ')]
  })
  return lines.join('\n')
}
