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

/*
 * The keepalived of each amphora of a pair, which moves the load balancer's address and records which amphora is
 * active.
 */

export const pairServiceOf = (amphoraId: string) => `${balancerSpaceOf(amphoraId)}-pair`

/** Capabilities that keepalived requires to change addresses and routes and to send VRRP packets. */
const capabilities = ['net_admin', 'net_raw']

/**
 * Returns the keepalived service of an amphora, or null for a load balancer with a single amphora. `folder` contains
 * the folders of all services.
 */
export function pairService(
  { amphoraId, space, pair }: BalancerPlan,
  folder: string,
  user: ServiceUser | null,
): Service | null {
  if (pair === null) return null
  const key = pairServiceOf(amphoraId)
  // the path inside the capsule, because the user may not traverse the parent folders on the host
  const home = servicePlaceOf(key)
  // exits together with its parent process
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
    // a reload does not move the address
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

/** Returns the role that keepalived last recorded, and when. */
function roleIn(home: string): { role: AmphoraRole; at: number } | null {
  try {
    const file = join(home, roleFile)
    return { role: words[readFileSync(file, 'utf8').trim()] ?? 'fault', at: statSync(file).mtimeMs }
  } catch {
    return null
  }
}

/**
 * Returns the roles by amphora ID. If both amphorae of a pair claim the address, the one that claimed it last is the
 * master.
 */
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
