import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { imageInProgress } from '@mainstay/contract/compute/image-rules'
import { images, type Image } from '@mainstay/contract/compute/images'
import { instanceInProgress } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { countedIn, type CountedQuotas } from '@mainstay/contract/all-quotas'
import { quotas } from '@mainstay/contract/compute/quotas'
import { MiB } from '@mainstay/contract/core/bytes'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { Page } from '@mainstay/contract/core/lists/paging'
import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import type { ApiClient } from '../api-client'
import { itemOf, type Item, type Ledger } from './crash-users'
import { machineProcesses } from '../server-program'
import type { SocketMirror } from '../socket-mirror'

/** State of the users' objects according to the API. */
export interface Seen {
  servers: Instance[]
  volumes: Volume[]
  images: Image[]
  tasks: Task[]
}

export async function all<Row>(api: ApiClient, list: Endpoint, query: Record<string, string> = {}): Promise<Row[]> {
  const rows: Row[] = []
  let marker: string | undefined
  do {
    const page = (await api.call(list, {
      query: { ...query, limit: 1000, ...(marker && { marker }) },
    })) as Page<Row>
    rows.push(...page.data)
    marker = page.pages[0]?.marker
  } while (marker !== undefined)
  return rows
}

/** Waits until no task is running, which should take at most 30 s after a kill. Returns the time it took. */
export async function settled(api: ApiClient, withinMs = 90_000): Promise<number> {
  const started = performance.now()
  for (;;) {
    const open = await all<Task>(api, tasks.list, { state: 'in:starting,running,cancelling,paused' })
    if (open.length === 0) return performance.now() - started
    if (performance.now() - started > withinMs) {
      const [first] = open
      throw new Error(`${open.length} tasks are not over after ${withinMs} ms, e.g. ${JSON.stringify(first)}`)
    }
    await pause(50)
  }
}

export async function look(api: ApiClient): Promise<Seen> {
  return {
    servers: await all<Instance>(api, instances.list),
    volumes: await all<Volume>(api, volumes.list),
    images: await all<Image>(api, images.list),
    tasks: await all<Task>(api, tasks.list),
  }
}

/** Lists differences from what the server acknowledged. Sets uncertain values in the ledger to the actual ones. */
export function lostChanges(ledger: Ledger, seen: Seen): string[] {
  const faults = ledger.faults.splice(0)
  const rows = { server: byId(seen.servers), volume: byId(seen.volumes), image: byId(seen.images) }
  for (const item of [...ledger.items.values()]) {
    const row = rows[item.kind].get(item.id)
    const says = (what: string) => faults.push(`${item.kind} ${item.id} (${[...item.names].join(' or ')}) ${what}`)
    if (!item.there.has(row !== undefined)) says(row ? 'is there although its deletion was acknowledged' : 'is lost')
    if (!row) {
      ledger.items.delete(item.id)
      continue
    }
    if (!item.names.has(row.name)) says(`is called ${row.name}`)
    if ('task_state' in row && !item.statuses.has(row.status))
      says(`is ${row.status} instead of ${[...item.statuses].join(' or ')}: ${row.fault?.message ?? 'no reason given'}`)
    if ('attachments' in row) {
      const holder = row.attachments[0]?.server_id ?? ''
      if (!item.holders.has(holder)) says(`is attached to "${holder}" instead of "${[...item.holders].join('" or "')}"`)
      if (!item.sizes.has(row.size)) says(`has ${row.size} bytes instead of ${[...item.sizes].join(' or ')}`)
      if (!['available', 'in-use'].includes(row.status)) says(`is ${row.status}: ${row.fault ?? 'no reason given'}`)
    }
    if ('disk_format' in row && row.status !== 'active') says(`is ${row.status}: ${row.fault ?? 'no reason given'}`)
    ledger.items.set(item.id, itemOf(item.kind, row, 'task_state' in row ? row.status : null))
  }
  faults.push(...unanswered(ledger, rows))
  return faults
}

/**
 * Checks create requests without a response: either all of their rows must exist, or none. Also finds rows that were
 * never requested.
 */
function unanswered(ledger: Ledger, rows: Record<Item['kind'], Map<string, Instance | Volume | Image>>): string[] {
  const faults: string[] = []
  const ofInstances = new Set([...rows.server.values()].flatMap((row) => (row as Instance).volumes.map(({ id }) => id)))
  for (const { kind, names } of ledger.asked.splice(0)) {
    const found = [...rows[kind].values()].filter(({ name }) => names.includes(name))
    if (found.length > 0 && found.length < names.length)
      faults.push(`only ${found.length} of ${names.join(', ')} are there`)
    for (const row of found) ledger.items.set(row.id, itemOf(kind, row, 'task_state' in row ? row.status : null))
  }
  for (const kind of ['server', 'volume', 'image'] as const)
    for (const { id, name } of rows[kind].values())
      if (!ledger.items.has(id) && !ofInstances.has(id)) faults.push(`${kind} ${id} (${name}) was not asked for`)
  return faults
}

/** Lists the rows that differ between the API and a socket that only received changes. */
export async function missedChanges(mirror: SocketMirror, seen: Seen, withinMs = 5_000): Promise<string[]> {
  const kinds = { server: seen.servers, volume: seen.volumes, image: seen.images, task: seen.tasks }
  const late = performance.now() + withinMs
  for (;;) {
    const faults = Object.entries(kinds).flatMap(([kind, rows]) => {
      const heard = mirror.rows(kind)
      const there = byId<{ id: string }>(rows)
      return [
        ...rows
          .filter((row) => !isDeepStrictEqual(heard.get(row.id), row))
          .map(({ id }) => `the socket told ${kind} ${id} otherwise, or not at all`),
        ...[...heard.keys()]
          .filter((id) => !there.has(id))
          .map((id) => `the socket did not tell that ${kind} ${id} is gone`),
      ]
    })
    if (faults.length === 0 || performance.now() > late) return faults
    await pause(20)
  }
}

const byId = <Row extends { id: string }>(rows: Row[]): Map<string, Row> => new Map(rows.map((row) => [row.id, row]))

/**
 * Finds unfinished work: rows in transition without a task, inconsistent rows, and leftover files and virtual machines.
 */
export async function halfMade(api: ApiClient, folder: string, seen: Seen): Promise<string[]> {
  return [
    ...transitions(seen),
    ...contradictions(seen),
    ...(await files(folder, seen)),
    ...(await machines(folder, seen)),
    ...(await wrongQuotas(api, seen)),
  ]
}

function transitions(seen: Seen): string[] {
  return [
    ...seen.servers
      .filter(instanceInProgress)
      .map(({ id, status, task_state }) => `server ${id} stays ${status} (${task_state})`),
    ...seen.servers.filter((it) => it.status === 'ERROR' && !it.fault).map(({ id }) => `server ${id} says no reason`),
    ...seen.volumes.filter(volumeInProgress).map(({ id, status }) => `volume ${id} stays ${status}`),
    ...seen.images
      .filter(({ status }) => imageInProgress(status))
      .map(({ id, status }) => `image ${id} stays ${status}`),
    ...seen.tasks
      .filter((task) => !taskIsOver(task.state) || task.finished_at === null)
      .map(({ id, name, state }) => `task ${id} (${name}) stays ${state}`),
    ...seen.tasks
      .filter(({ state, error }) => state === 'failed' && !error)
      .map(({ id, name }) => `task ${id} (${name}) failed without a reason`),
  ]
}

function contradictions({ servers, volumes }: Seen): string[] {
  const faults: string[] = []
  const held = byId(volumes)
  const there = byId(servers)
  for (const server of servers)
    for (const { id, size } of server.volumes) {
      const volume = held.get(id)
      if (!volume) faults.push(`server ${server.id} has a volume ${id} that is not there`)
      else if (volume.attachments[0]?.server_id !== server.id) faults.push(`volume ${id} does not know of ${server.id}`)
      else if (volume.size !== size) faults.push(`server ${server.id} shows a wrong size of volume ${id}`)
    }
  for (const { id, status, attachments } of volumes) {
    const [holder] = attachments
    if ((status === 'in-use') !== (holder !== undefined))
      faults.push(`volume ${id} is ${status} and has ${holder?.server_id}`)
    if (holder && !there.get(holder.server_id)?.volumes.some((it) => it.id === id))
      faults.push(`volume ${id} is attached to ${holder.server_id}, which does not have it`)
  }
  const addresses = servers.flatMap((it) =>
    it.network_data.flatMap((card) => card.fixed_ips.map((ip) => ip.ip_address)),
  )
  if (new Set(addresses).size < addresses.length) faults.push('two network cards have one address')
  return faults
}

async function files(folder: string, { servers, volumes, images }: Seen): Promise<string[]> {
  const inside = (name: string) => readdir(path.join(folder, 'engine', name))
  const compare = (what: string, found: string[], wanted: string[], allowed: string[] = []) => [
    ...found
      .filter((it) => !wanted.includes(it) && !allowed.includes(it))
      .map((it) => `${what} ${it} belongs to nothing`),
    ...wanted.filter((it) => !found.includes(it)).map((it) => `${what} ${it} is missing`),
  ]
  const whole = volumes.filter(({ status }) => status === 'available' || status === 'in-use')
  return [
    ...compare(
      'volumes/',
      await inside('volumes'),
      whole.map(({ id }) => `${id}.qcow2`),
    ),
    ...compare(
      'images/',
      await inside('images'),
      images.filter(({ status }) => status === 'active').map(({ id }) => id),
    ),
    ...compare('uploads/', await inside('uploads'), []),
    ...compare(
      'seeds/',
      await inside('seeds'),
      servers.filter(({ status }) => status !== 'ERROR').map(({ id }) => `${id}.iso`),
    ),
  ]
}

const stateOf: Partial<Record<Instance['status'], string>> = { ACTIVE: 'running', PAUSED: 'paused', SUSPENDED: 'saved' }

async function machines(folder: string, { servers }: Seen): Promise<string[]> {
  const simulated = path.join(folder, 'engine', 'simulated', 'machines.jsonl')
  const lines = await readFile(simulated, 'utf8').catch(() => null)
  const states = new Map<string, string>()
  if (lines === null) for (const id of (await machineProcesses(folder)).keys()) states.set(id, 'running')
  for (const line of (lines ?? '').split('\n')) {
    if (line === '') continue
    const { id, state } = JSON.parse(line) as { id: string; state: string }
    if (state === 'gone') states.delete(id)
    else states.set(id, state)
  }
  const there = byId(servers)
  return [
    ...[...states.keys()].filter((id) => !there.has(id)).map((id) => `machine ${id} belongs to nothing`),
    ...servers
      .filter(({ status }) => status !== 'ERROR')
      // a QEMU process proves only that its virtual machine is running
      .filter(({ status }) => lines !== null || status === 'ACTIVE' || status === 'SHUTOFF')
      .filter(({ id, status }) => (states.get(id) ?? 'off') !== (stateOf[status] ?? 'off'))
      .map(({ id, status }) => `server ${id} is ${status} and its machine ${states.get(id) ?? 'off'}`),
  ]
}

async function wrongQuotas(api: ApiClient, { servers, volumes, images }: Seen): Promise<string[]> {
  const faults: string[] = []
  const projects = new Set([...servers, ...volumes, ...images].map((row) => row.project_id))
  for (const project of projects) {
    const told = countedIn(await api.call(quotas.view, { params: { id: project }, query: { usage: 'true' } }))
    const mine = <Row extends { project_id: string }>(rows: Row[]) => rows.filter((row) => row.project_id === project)
    const sum = <Row>(rows: Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
    const counted: Partial<Record<keyof CountedQuotas, number>> = {
      instances: mine(servers).length,
      vcpus: sum(mine(servers), (it) => it.flavor.vcpus),
      ram: sum(mine(servers), (it) => it.flavor.ram * MiB),
      volumes: mine(volumes).length,
      storage: sum(mine(volumes), (it) => it.size),
      images: mine(images).length,
      image_storage: sum(mine(images), (it) => it.size ?? 0),
    }
    for (const name of Object.keys(counted) as (keyof CountedQuotas)[])
      if (told[name].used !== counted[name])
        faults.push(`project ${project}: ${name} counts ${told[name].used}, and there are ${counted[name]}`)
  }
  return faults
}
