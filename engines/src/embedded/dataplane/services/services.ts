import type { ServiceUser } from '../../../host/service-users'
import { metadataConfig } from '../compile/metadata'
import type { Compiled } from '../compile/plan'
import { balancerService, type FolderOf } from './balancers'
import { charonService } from './charon'
import type { Service } from './daemons'
import { pairService } from './pairs'

/** The key of the one HAProxy; others have the names of their namespaces. */
export const metadataKey = 'metadata'

/** The processes that a plan needs, whose folders are in `folder`. `user` is whom they become where the server is root. */
export function servicesOf(
  { daemons, balancers, vpns, doors }: Compiled,
  user: ServiceUser | null,
  folder: string,
  folderOf: FolderOf,
): Service[] {
  const as = user ? [user.name, user.name] : ['root', 'root']
  const others = [
    ...balancers.map((plan) => balancerService(plan, user, folderOf)),
    ...balancers.flatMap((plan) => pairService(plan, folder) ?? []),
    ...vpns.map((plan) => charonService(plan, folderOf)),
  ]
  const dnsmasq = daemons.map(({ space, config, hosts, names }): Service => ({
    ...{ key: space, space, program: 'dnsmasq' },
    args: ['--no-daemon', `--user=${as[0]}`, `--group=${as[1]}`, '--conf-file=config'],
    files: { config },
    lists: { hosts, names },
  }))
  if (doors.length === 0) return [...dnsmasq, ...others]
  return [
    ...dnsmasq,
    ...others,
    {
      ...{ key: metadataKey, space: null, program: 'haproxy' },
      args: ['-db', '-f', 'config'],
      files: { config: metadataConfig(doors, user ? { user: user.name, group: user.name } : null) },
      lists: {},
      replaces: ['-sf'],
    },
  ]
}
