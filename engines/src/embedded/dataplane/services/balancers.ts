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
 * The HAProxy of each balancer: a master that starts workers. Members and certificates change while it runs. Any other change of the
 * configuration is another worker, which takes the listening sockets over from the one before and knows what that one knew of the
 * members; the one before ends with its last connection.
 */

/** Where a service's folder is reached by a short path, as that of a unix socket has 107 bytes at most. */
export type FolderOf = (key: string) => string

/**
 * What the master of an HAProxy keeps of root's rights, to start workers that are another user. A worker has none, and can gain none
 * (HAProxy's own `no_new_privs`) but for the program that asks members by ping, which has `net_raw` by its file on Debian 12. The same for each,
 * as a process with other rights would be another process.
 */
const ofMaster = ['net_bind_service', 'setuid', 'setgid', 'kill', 'net_raw']

function command(user: ServiceUser | null): Pick<Service, 'program' | 'args' | 'becomes' | 'user' | 'readsFirst'> {
  // MiB: what connections of a tenant may take
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

/** Makes it what its files say. Answers why it goes on as before, or null. Throws where it does not answer. */
async function takeOver(folder: string, plan: BalancerPlan, furnish: () => void): Promise<string | null> {
  // a server that ends on the way finds the files before, and does it once more
  const changed = Object.entries(plan.certificates).filter(([name, text]) => readIfThere(join(folder, name)) !== text)
  const isDone = await changeLive(join(folder, sockets.stats), plan, Object.fromEntries(changed))
  furnish()
  if (!isDone) return reload(folder, plan)
  forgetOthers(folder, plan)
  return null
}

/** Makes it read its files again. Answers why it goes on with those before, or null. Throws where it does not answer. */
async function reload(folder: string, plan: BalancerPlan): Promise<string | null> {
  const before = await workerOf(folder)
  const state = await ask(join(folder, sockets.stats), 'show servers state')
  writeFileSync(join(folder, stateFile), stateFor(plan, state), { mode: 0o600 })
  try {
    // what it counted until now is noted
    await reportOf(folder)
    await ask(join(folder, sockets.master), 'reload')
    for (const end = Date.now() + readyWithinMs; Date.now() < end; await pause(10)) {
      const now = await workerOf(folder).catch(() => null)
      if (now === null || now === before) continue
      forgetOthers(folder, plan)
      return null
    }
    return `it does not take over what was changed: ${lastAlert(folder) ?? 'no new process came'}`
  } finally {
    rmSync(join(folder, stateFile), { force: true })
  }
}

const readIfThere = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

function lastAlert(folder: string): string | null {
  const log = readIfThere(join(folder, 'log')) ?? ''
  return /^\[ALERT\].*? : (.*)$/m.exec(log.split('\n').toReversed().join('\n'))?.[1] ?? null
}

/** Keys of pools that are gone are not kept. */
function forgetOthers(folder: string, { files }: BalancerPlan): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.pem') && !(name in files)) rmSync(join(folder, name))
}

/** What an HAProxy says of its members, and what it has passed on. Throws where it does not answer. */
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
  // numbers of processes come again, in a capsule that is built anew
  const [pid, started] = [/^Pid: (\d+)$/m, /^Start_time_sec: (\d+)$/m].map((line) => line.exec(said)?.[1])
  if (pid === undefined || started === undefined) throw new Error('HAProxy does not say who it is')
  const process = `${pid} ${started}`
  return { members, traffic: new Map(Object.entries(countedWith(folder, process, now))) }
}

/**
 * What the balancers of these plans say, by their ids: of the members, who has the address; of what was passed on, both of a pair.
 * `folder` is that of all services; `runs` answers of them by their keys.
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
  // of a check that goes on just now the result before counts
  const check = check_status.replace(/^\* /, '')
  const code = check.startsWith('L7') && check_code !== '' && check_code !== '0' ? Number(check_code) : null
  if (status === 'no check' || check === '' || check === 'INI') return { health: 'unknown', check: '', code: null }
  return { health: status.startsWith('DOWN') ? 'down' : 'up', check, code }
}
