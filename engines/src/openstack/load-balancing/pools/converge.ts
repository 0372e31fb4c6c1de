import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import { markOf } from '../../networking/marks'
import { unlessGone } from '../../read-each'
import { listOf } from '../family'
import { onceMutable } from '../settle'
import { at, membersOf, paths, WireListener, type WireMember } from '../wire'
import { readParts } from './reader'
import type { WantedMember, WantedPool } from './wanted'

/*
 * A pool in the contract consists of up to four objects in the service, which accepts only one change per load balancer
 * at a time. The objects are changed in order. Each step checks the current state first, so that it can be repeated,
 * even by another server.
 */

/** Progress of applying a change. */
export interface Progress {
  /** The listener; null: not created yet. */
  listener: string | null
  step: number
}

export interface Convergence {
  balancer: string
  wanted: WantedPool
}

const Made = z.object({ id: z.string() })
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Returns the wanted fields that differ from the current ones. */
const differing = (wanted: Record<string, unknown>, has: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(value, has[name])))
const isEmpty = (body: object): boolean => Object.keys(body).length === 0

type Step = (cloud: ServiceClient, it: Convergence, listener: string) => Promise<'done' | 'again'>

/** Returns the ID of the listener created for an intent, or null if there is none. */
export async function listenerMarked(caller: ServiceClient, balancer: string, intent: string): Promise<string | null> {
  const listeners = await listOf({ caller }, [paths.listeners, 'listeners'], WireListener, balancer)
  return listeners.find(({ tags }) => tags.includes(markOf(intent)))?.id ?? null
}

async function makeListener(cloud: ServiceClient, { balancer, wanted }: Convergence): Promise<string> {
  const body = { listener: { ...wanted.listener, loadbalancer_id: balancer } }
  const { listener } = await cloud.send('POST', 'load-balancer', paths.listeners, z.object({ listener: Made }), {
    body,
  })
  return listener.id
}

const changeListener: Step = async (cloud, { wanted }, id) => {
  const { listener } = await readParts({ caller: cloud }, id)
  const headers = wanted.listener['insert_headers']
  const change = differing(
    { ...wanted.listener, ...(headers !== undefined && { insert_headers: sorted(headers) }) },
    { ...listener, insert_headers: sorted(listener.insert_headers ?? {}) },
  )
  if (!isEmpty(change))
    await cloud.send('PUT', 'load-balancer', at(paths.listeners, id), z.void(), { body: { listener: change } })
  return 'done'
}
const sorted = (headers: unknown) =>
  Object.fromEntries(Object.entries(headers as object).toSorted(([one], [other]) => (one < other ? -1 : 1)))

const bringPool: Step = async (cloud, { balancer, wanted }, id) => {
  const { pool } = await readParts({ caller: cloud }, id)
  if (pool) {
    const change = differing(wanted.pool, pool)
    if (!isEmpty(change))
      await cloud.send('PUT', 'load-balancer', at(paths.pools, pool.id), z.void(), { body: { pool: change } })
    return 'done'
  }
  const isWanted = 'lb_algorithm' in wanted.pool || wanted.monitor || wanted.members?.length
  if (!isWanted) return 'done'
  const body = { pool: { ...wanted.newPool, ...wanted.pool, loadbalancer_id: balancer, listener_id: id } }
  await cloud.send('POST', 'load-balancer', paths.pools, z.void(), { body })
  return 'done'
}

const bringMonitor: Step = async (cloud, { wanted }, id) => {
  if (wanted.monitor === undefined) return 'done'
  const { pool, monitor } = await readParts({ caller: cloud }, id)
  if (monitor && wanted.monitor?.['type'] !== monitor.type) {
    await unlessGone(cloud.send('DELETE', 'load-balancer', at(paths.monitors, monitor.id), z.void()))
    return wanted.monitor ? 'again' : 'done'
  }
  if (!wanted.monitor || !pool) return 'done'
  if (!monitor) {
    const body = { healthmonitor: { ...wanted.monitor, pool_id: pool.id } }
    await cloud.send('POST', 'load-balancer', paths.monitors, z.void(), { body })
    return 'done'
  }
  // keep the expected status codes of an existing monitor
  const { expected_codes: _, ...asked } = wanted.monitor
  const { type: __, ...change } = differing(asked, monitor)
  if (!isEmpty(change))
    await cloud.send('PUT', 'load-balancer', at(paths.monitors, monitor.id), z.void(), {
      body: { healthmonitor: change },
    })
  return 'done'
}

const subnetBody = (subnet_id: string | null | undefined) => (subnet_id ? { subnet_id } : {})

/** Returns the request body for a member. Keeps the fields that the contract does not include. */
export const memberBody = (wanted: WantedMember, known: WireMember | undefined, port: number) => ({
  ...{ address: wanted.address, protocol_port: known?.protocol_port ?? port },
  ...{ name: wanted.name ?? known?.name ?? '', weight: wanted.weight, admin_state_up: wanted.admin_state_up },
  // the service cannot move a member to another subnet
  ...subnetBody(known ? known.subnet_id : wanted.subnet_id),
  ...(known?.backup && { backup: true }),
  ...(known?.monitor_address && { monitor_address: known.monitor_address }),
  ...(known?.monitor_port && { monitor_port: known.monitor_port }),
  ...(known && known.tags.length > 0 && { tags: known.tags }),
})

const bringMembers: Step = async (cloud, { wanted }, id) => {
  if (!wanted.members) return 'done'
  const { pool, members } = await readParts({ caller: cloud }, id)
  if (!pool) return 'done'
  const bodies = wanted.members.map((one) => {
    const known = members.find((member) => member.id === one.id)
    return memberBody(one, known?.address === one.address ? known : undefined, wanted.backendPort)
  })
  const isThere = (body: (typeof bodies)[number]) => members.some((has) => isEmpty(differing(body, has)))
  if (bodies.length === members.length && bodies.every(isThere)) return 'done'
  await cloud.send('PUT', 'load-balancer', membersOf(pool.id), z.void(), { body: { members: bodies } })
  return 'done'
}

const steps: readonly Step[] = [changeListener, bringPool, bringMonitor, bringMembers]

/**
 * Applies a change until it is complete, or until the time `until` (milliseconds since 1970). Records each step in
 * `progress`. Returns whether the change is complete. Throws any errors from the service.
 */
export async function converge(
  cloud: ServiceClient,
  it: Convergence,
  progress: Progress,
  until: number,
): Promise<boolean> {
  while (progress.step < steps.length) {
    const made = await onceMutable(cloud, it.balancer, until, async () => {
      if (progress.listener === null) {
        progress.listener = await makeListener(cloud, it)
        progress.step = 1
        return 'begun'
      }
      return steps[progress.step]!(cloud, it, progress.listener)
    })
    if (!made) return false
    if (made.result === 'done') progress.step++
  }
  return true
}
