import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandWithin, type ServiceUser } from '../../../host/service-users'
import { pause } from '../../../host/processes'
import { backendOf, frontendOf, sockets, stateFile } from '../../../network-model/compile/haproxy'
import { userPlace, type BalancerPlan } from '../../../network-model/compile/plan'
import type { BalancerReport, MemberReport, PoolTraffic } from '../../../network-model/wanted-balancers'
import { countedSoFar, countedWith, type Counted } from './balancer-counts'
import { readyWithinMs, type Service } from './daemons'
import { ask, readTable, workerIn } from './haproxy-socket'
import { rolesOf } from './pairs'
import { changeLive, stateFor, trustMembers } from './live-changes'

/*
 * The HAProxy of each load balancer: a master process with one worker. Members and certificates are changed at run
 * time. Any other change requires a reload: a new worker takes over the listening sockets and the known member health,
 * and the old worker exits after its last connection.
 */

/** Short path to a service's folder, because the path of a Unix socket is limited to 107 bytes. */
export type FolderOf = (key: string) => string

/**
 * Capabilities that an HAProxy master running as root keeps, to start workers as another user. Workers have none and
 * cannot gain any, because HAProxy sets `no_new_privs`; the exception is the program for ping checks, which has
 * `net_raw` as a file capability on Debian 12. All load balancers use the same set, because changing it would require a
 * new process.
 */
const ofMaster = ['net_bind_service', 'setuid', 'setgid', 'kill', 'net_raw']

function command(user: ServiceUser | null): Pick<Service, 'program' | 'args' | 'becomes' | 'user' | 'readsFirst'> {
  // in MiB; limits the memory that a tenant's connections may use
  const words = ['-W', '-S', `unix@${sockets.master},mode,600`, '-m', '256', '-f', 'config']
  if (!user) return { program: 'haproxy', args: words }
  const { file, args } = commandWithin(ofMaster, 'haproxy', words, { canGain: true })
  return { program: file, args, becomes: 'haproxy', user, readsFirst: true }
}

export const balancerService = (plan: BalancerPlan, user: ServiceUser | null, folderOf: FolderOf): Service => ({
  ...{ key: plan.space, space: plan.space },
  ...command(user),
  files: {
    ...plan.files,
    config: plan.files['config']!.replace(userPlace, user ? `  user ${user.name}\n  group ${user.name}` : ''),
  },
  programs: plan.programs,
  lists: {},
  takeOver: (furnish) => takeOver(folderOf(plan.space), plan, furnish),
  async isReady() {
    if ((await workerOf(folderOf(plan.space))) === null) return false
    await trustMembers(join(folderOf(plan.space), sockets.stats), plan)
    return true
  },
})

const workerOf = async (folder: string) => workerIn(await ask(join(folder, sockets.master), 'show proc'))

/**
 * Applies changed files at run time. Returns why they were not applied, or null. Throws if HAProxy does not respond.
 */
async function takeOver(folder: string, plan: BalancerPlan, furnish: () => void): Promise<string | null> {
  // files are written last, so that the change is repeated if the server is interrupted before that
  const changed = Object.entries(plan.certificates).filter(([name, text]) => readIfThere(join(folder, name)) !== text)
  const isDone = await changeLive(join(folder, sockets.stats), plan, Object.fromEntries(changed))
  furnish()
  if (!isDone) return reload(folder, plan)
  forgetOthers(folder, plan)
  return null
}

/**
 * Reloads the configuration. Returns why the previous one stays in use, or null. Throws if HAProxy does not respond.
 */
async function reload(folder: string, plan: BalancerPlan): Promise<string | null> {
  const before = await workerOf(folder)
  const state = await ask(join(folder, sockets.stats), 'show servers state')
  writeFileSync(join(folder, stateFile), stateFor(plan, state), { mode: 0o600 })
  try {
    // records the old worker's counters
    await reportOf(folder)
    await ask(join(folder, sockets.master), 'reload')
    for (const end = Date.now() + readyWithinMs; Date.now() < end; await pause(10)) {
      const now = await workerOf(folder).catch(() => null)
      if (now === null || now === before) continue
      forgetOthers(folder, plan)
      return null
    }
    return `it did not apply the change: ${lastAlert(folder) ?? 'no new process started'}`
  } finally {
    rmSync(join(folder, stateFile), { force: true })
  }
}

const readIfThere = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

function lastAlert(folder: string): string | null {
  const log = readIfThere(join(folder, 'log')) ?? ''
  return /^\[ALERT\].*? : (.*)$/m.exec(log.split('\n').toReversed().join('\n'))?.[1] ?? null
}

/** Deletes the certificate files of removed pools. */
function forgetOthers(folder: string, { files }: BalancerPlan): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.pem') && !(name in files)) rmSync(join(folder, name))
}

/** Member health and traffic as reported by one HAProxy. Throws if it does not respond. */
type Said = Pick<BalancerReport, 'members' | 'traffic'>
async function reportOf(folder: string): Promise<Said> {
  const said = await ask(join(folder, sockets.stats), 'show info; show stat')
  const rows = readTable(said.slice(said.indexOf('# pxname')))
  const members: Said['members'] = new Map()
  const now: Counted = {}
  const [front, back] = [frontendOf(''), backendOf('')]
  for (const row of rows) {
    const { pxname = '', svname = '' } = row
    if (pxname.startsWith(back) && svname !== 'BACKEND') members.set(svname, memberOf(row))
    if (!pxname.startsWith(front) || svname !== 'FRONTEND') continue
    const id = pxname.slice(front.length)
    const failed = rows.find((it) => it['pxname'] === backendOf(id) && it['svname'] === 'BACKEND')
    const errors = [row['ereq'], failed?.['econ'], failed?.['eresp']].map((count) => Number(count ?? 0))
    now[id] = {
      ...{ active: Number(row['scur']), total: Number(row['stot']) },
      ...{ bytesIn: Number(row['bin']), bytesOut: Number(row['bout']) },
      errors: errors.reduce((one, other) => one + other),
    }
  }
  // PIDs are reused when a capsule is rebuilt, so the start time is added
  const [pid, started] = [/^Pid: (\d+)$/m, /^Start_time_sec: (\d+)$/m].map((line) => line.exec(said)?.[1])
  if (pid === undefined || started === undefined) throw new Error('HAProxy does not report its process ID')
  const process = `${pid} ${started}`
  return { members, traffic: new Map(Object.entries(countedWith(folder, process, now))) }
}

/**
 * Reports by load balancer ID. Member health comes from the active amphora; traffic is the sum of both amphorae of a
 * pair. `folder` contains the folders of all services; `runs` returns whether the service with a given key is running.
 */
export async function reportsOf(
  plans: readonly BalancerPlan[],
  folder: string,
  folderOf: FolderOf,
  runs: (key: string) => boolean,
): Promise<Map<string, BalancerReport>> {
  const said = await Promise.all(plans.map((plan) => reportOf(folderOf(plan.space)).catch(() => null)))
  const found = new Map<string, BalancerReport>()
  for (const id of new Set(plans.map((plan) => plan.id))) {
    const its = plans.flatMap((plan, at) => (plan.id === id ? [{ plan, said: said[at] ?? null }] : []))
    const roles = rolesOf(
      its.map(({ plan }) => plan),
      folder,
    )
    const answering = its.flatMap((it) => (it.said ? [{ ...it.said, role: roles.get(it.plan.amphoraId)! }] : []))
    const first = answering.find(({ role }) => role === 'alone' || role === 'master') ?? answering[0]
    const traffic = addedUp(
      its.map((it) => it.said?.traffic ?? new Map(Object.entries(countedSoFar(folderOf(it.plan.space))))),
    )
    const isCarried = first ? true : its.some(({ plan }) => runs(plan.space)) ? null : false
    found.set(id, { isCarried, roles, members: first?.members ?? new Map<string, MemberReport>(), traffic })
  }
  return found
}

function addedUp(all: readonly BalancerReport['traffic'][]): BalancerReport['traffic'] {
  const sum = new Map<string, PoolTraffic>()
  for (const [id, one] of all.flatMap((traffic) => [...traffic])) {
    const { active, total, bytesIn, bytesOut, errors } = sum.get(id) ?? nothing
    sum.set(id, {
      ...{ active: active + one.active, total: total + one.total, errors: errors + one.errors },
      ...{ bytesIn: bytesIn + one.bytesIn, bytesOut: bytesOut + one.bytesOut },
    })
  }
  return sum
}
const nothing: PoolTraffic = { active: 0, total: 0, bytesIn: 0, bytesOut: 0, errors: 0 }

function memberOf({ status = '', check_status = '', check_code = '' }: Record<string, string>): MemberReport {
  // the prefix marks a check in progress, with the result of the previous check
  const check = check_status.replace(/^\* /, '')
  const code = check.startsWith('L7') && check_code !== '' && check_code !== '0' ? Number(check_code) : null
  if (status === 'no check' || check === '' || check === 'INI') return { health: 'unknown', check: '', code: null }
  return { health: status.startsWith('DOWN') ? 'down' : 'up', check, code }
}
