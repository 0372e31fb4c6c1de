import { commandAs, type ServiceUser } from '../../../host/service-users'
import { metadataConfig } from '../compile/metadata'
import type { Compiled } from '../compile/plan'
import { balancerService, type FolderOf } from './balancers'
import { charonService } from './charon'
import type { Service } from './daemons'
import { pairService } from './pairs'

/** It has its user and capabilities before it starts, so it changes to no other user or group. */
const dnsmasqArguments = [
  ...['--keep-in-foreground', '--log-facility=-', '--pid-file='],
  ...['--user=', '--group=', '--conf-file=config'],
]

/** The key of the one HAProxy; others have the names of their namespaces. */
export const metadataKey = 'metadata'

/**
 * The processes that a plan needs, whose folders are in `folder`. Where the server is root, dnsmasq becomes `dnsUser` and the others
 * become `user`.
 */
export function servicesOf(
  { daemons, balancers, vpns, doors }: Compiled,
  { user, dnsUser }: { user: ServiceUser | null; dnsUser: ServiceUser | null },
  folder: string,
  folderOf: FolderOf,
): Service[] {
  const others = [
    ...balancers.map((plan) => balancerService(plan, user, folderOf)),
    ...balancers.flatMap((plan) => pairService(plan, folder) ?? []),
    ...vpns.map((plan) => charonService(plan, folderOf)),
  ]
  const dnsmasq = daemons.map(({ space, capabilities, config, hosts, names }): Service => {
    const { file, args } = commandAs(dnsUser, 'dnsmasq', dnsmasqArguments, { capabilities })
    return {
      ...{ key: space, space, program: file, args, becomes: 'dnsmasq', user: dnsUser },
      files: { config },
      lists: { hosts, names },
    }
  })
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
