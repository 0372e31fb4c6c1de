import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@mainstay/contract/core/problems'
import { nodeInterfaces } from '@mainstay/contract/infrastructure/interfaces'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { HOST_KEY } from '../server/src/testing/fake-hosts'
import { ADMIN_PASSWORD, databaseProcess, startProgram } from '../server/src/testing/server-program'
import type { Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { simulateHosts, writeSsh, type SimulatedHost } from './support/simulated-hosts'

/*
 * Measures the load that 64 registered hosts put on the server, and the delay until a change on a host is shown. The
 * hosts are simulated and ssh is replaced; everything else is real.
 */

const NODES = 64
const SECONDS = quick ? 60 : 120
/** Duration of the measurement without hosts, which is the baseline. */
const IDLE_SECONDS = quick ? 20 : 60
/** Number of hosts whose network cable is unplugged, one after another. */
const CHANGES = quick ? 2 : 6

export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const [programs, folder] = [await newFolder(), await newFolder()]
    await writeSsh(programs)
    const { hosts, close } = await simulateHosts(NODES)
    const environment = { PATH: `${programs}:${process.env['PATH'] ?? ''}` }
    const program = await startProgram({ folder, environment })
    try {
      const api = await signIn(program.adminUrl, { username: 'admin', password: ADMIN_PASSWORD })
      const database = (await databaseProcess(folder))!
      await pause(30_000)
      const idle = await shareOf(program.pid, database, IDLE_SECONDS)
      await register(api, hosts)
      // wait until the first readings, which write every row, are stored
      await pause(60_000)
      const busy = await shareOf(program.pid, database, SECONDS)
      const times: number[] = []
      for (const host of hosts.slice(0, CHANGES)) times.push(await unplug(api, host))
      const against = (value: number) => ({ name: 'without them', value })
      return [
        {
          name: `nodes, ${NODES} watched: CPU of the server`,
          unit: '%',
          value: busy.server,
          against: against(idle.server),
        },
        {
          ...{ name: `nodes, ${NODES} watched: CPU of the database`, unit: '%', value: busy.database },
          against: against(idle.database),
        },
        {
          name: `nodes, ${NODES} watched: a changed fact is shown, slowest`,
          unit: 's',
          value: Math.max(...times) / 1000,
        },
      ]
    } finally {
      await program.stop()
      close()
    }
  })
}

/** Registers the hosts as the registration script does, and waits until all of them have been read. */
async function register(api: ApiClient, hosts: readonly SimulatedHost[]): Promise<void> {
  for (const { name, machineId, port } of hosts) {
    const { token } = await api.call(nodeRegistration.generateToken, { body: { ttl: 1 } })
    const report = { token: token!, hostname: name, machine_id: machineId, address: '127.0.0.1', port }
    const body = { ...report, user: 'root', host_key: HOST_KEY }
    // the server limits the number of registrations per address
    while (!(await isAccepted(api.call(nodeRegistration.register, { body })))) await pause(2_000)
  }
  const end = performance.now() + 180_000
  for (;;) {
    const { data } = await api.call(nodes.list)
    const read = data.filter(({ link, os, is_online }) => link.by === 'ssh' && is_online && os !== null)
    if (read.length === hosts.length) return
    if (performance.now() > end) throw new Error(`only ${read.length} of ${hosts.length} hosts were read`)
    await pause(2_000)
  }
}

/** Returns true if the registration was accepted, or false if it must be retried later. */
const isAccepted = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Problem && error.code === 'too_many_requests') return false
      throw error
    },
  )

/** Unplugs a network cable of a host. Returns the time until the API reports the change for the node's interface. */
async function unplug(api: ApiClient, host: SimulatedHost): Promise<number> {
  // wait for a random time, so that the change happens at any point between two readings
  await pause(Math.random() * 10_000)
  const began = performance.now()
  host.recording = {
    ...host.recording,
    interfaces: (host.recording['interfaces'] as string).replaceAll('"LOWER_UP"', '"NO-CARRIER"'),
  }
  for (;;) {
    const { data } = await api.call(nodeInterfaces.list, { params: { node_id: host.name } })
    if (data.every(({ state }) => state !== 'up')) return performance.now() - began
    if (performance.now() - began > 120_000) throw new Error(`${host.name} still shows the cable`)
    await pause(200)
  }
}

/** Measures the CPU usage of the server and of all database processes, in percent of one core. */
async function shareOf(server: number, database: number, seconds: number) {
  const used = () => {
    const children = readFileSync(`/proc/${database}/task/${database}/children`, 'utf8').trim().split(' ').map(Number)
    return {
      server: ticksOf(server).own,
      // the CPU time of processes that have exited is part of the main process's child time
      database: children.reduce((sum, pid) => sum + ticksOf(pid).own, ticksOf(database).own + ticksOf(database).ended),
    }
  }
  const [before, began] = [used(), performance.now()]
  await pause(seconds * 1000)
  const [after, took] = [used(), (performance.now() - began) / 1000]
  const share = (of: 'server' | 'database') => (after[of] - before[of]) / took
  return { server: share('server'), database: share('database') }
}

/** Returns the CPU time of a process and of its exited children, in hundredths of a second. */
function ticksOf(pid: number): { own: number; ended: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    return { own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! }
  } catch {
    return { own: 0, ended: 0 }
  }
}
