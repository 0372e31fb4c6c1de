import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { commandAs, type ServiceUser } from '../../../host/service-users'
import { kill } from '../../../host/processes'
import {
  folderPlace,
  keepalivedPlace,
  otherFile,
  ownerPlace,
  pairCommand,
  roleFile,
} from '../../../network-model/compile/pairs'
import type { BalancerPlan } from '../../../network-model/compile/plan'
import { balancerSpaceOf, servicePlaceOf } from '../../../network-model/names'
import type { AmphoraRole } from '../../../network-model/wanted-balancers'
import type { Service } from './daemons'

/* The keepalived of each of a pair: it moves the address of the balancer, and says who has it. */

export const pairServiceOf = (amphoraId: string) => `${balancerSpaceOf(amphoraId)}-pair`

/** What keepalived has of root's rights: to change addresses and routes, and to send VRRP. */
const capabilities = ['net_admin', 'net_raw']

/** `folder` is that of all services. Null where the balancer is carried by one alone. */
export function pairService(
  { amphoraId, space, pair }: BalancerPlan,
  folder: string,
  user: ServiceUser | null,
): Service | null {
  if (pair === null) return null
  const key = pairServiceOf(amphoraId)
  // the folders above it on the host may be closed to that user
  const home = servicePlaceOf(key)
  // it ends with the program that runs it
  const { file, args } = commandAs(user, 'setpriv', ['--pdeathsig', 'TERM', 'keepalived'], { capabilities })
  const placed = (text: string) =>
    text
      .replaceAll(folderPlace, home)
      .replaceAll(keepalivedPlace, [file, ...args].join(' '))
      .replaceAll(ownerPlace, user ? `chown ${user.uid}:${user.gid}` : ':')
  return {
    ...{ key, space, program: 'bash', user },
    args: [pairCommand],
    files: { config: placed(pair.config), [otherFile]: `${balancerSpaceOf(pair.other)}\n` },
    programs: { [pairCommand]: placed(pair.program) },
    lists: {},
    // whoever has the address keeps it
    takeOver: (furnish, process) => {
      furnish()
      kill(process, 'SIGHUP')
      return Promise.resolve(null)
    },
    isReady: () =>
      Promise.resolve([key, pairServiceOf(pair.other)].some((one) => roleIn(join(folder, one))?.role === 'master')),
  }
}

const words: Record<string, AmphoraRole> = { MASTER: 'master', BACKUP: 'backup', FAULT: 'fault' }

/** What it wrote down last, and when. */
function roleIn(home: string): { role: AmphoraRole; at: number } | null {
  try {
    const file = join(home, roleFile)
    return { role: words[readFileSync(file, 'utf8').trim()] ?? 'fault', at: statSync(file).mtimeMs }
  } catch {
    return null
  }
}

/** Roles of a balancer's HAProxies by the ids of what carries it: of a pair the last one that got the address has it. */
export function rolesOf(plans: readonly BalancerPlan[], folder: string): Map<string, AmphoraRole> {
  const found = plans.map(({ amphoraId, pair }) => ({
    amphoraId,
    ...(pair === null
      ? { role: 'alone' as const, at: 0 }
      : (roleIn(join(folder, pairServiceOf(amphoraId))) ?? { role: 'fault' as const, at: 0 })),
  }))
  const last = Math.max(...found.filter(({ role }) => role === 'master').map(({ at }) => at))
  return new Map(found.map(({ amphoraId, role, at }) => [amphoraId, role === 'master' && at < last ? 'fault' : role]))
}
