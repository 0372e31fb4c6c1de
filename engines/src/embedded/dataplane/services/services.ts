import { commandAs, commandWithin } from '../../../host/service-users'
import { metadataConfig } from '../../../network-model/compile/metadata'
import type { Compiled } from '../../../network-model/compile/plan'
import { balancerService, type FolderOf } from './balancers'
import { charonService } from './charon'
import type { Service } from './daemons'
import { pairService } from './pairs'
import type { NetworkUsers } from './users'

/** It has its user and capabilities before it starts, so it changes to no other user or group. */
const dnsmasqArguments = [
  ...['--keep-in-foreground', '--log-facility=-', '--pid-file='],
  ...['--user=', '--group=', '--conf-file=config'],
]

/** The key of the one HAProxy; others have the names of their namespaces. */
export const metadataKey = 'metadata'

/**
 * What the HAProxy of metadata has until it listens, and can never have again once it is `users.metadata`: it listens in namespaces,
 * becomes that user, and ends the one before it.
 */
const listening = ['sys_admin', 'net_bind_service', 'setuid', 'setgid', 'kill']

/** The processes that a plan needs, whose folders are in `folder`. */
export function servicesOf(
  { daemons, balancers, vpns, doors }: Compiled,
  users: NetworkUsers,
  folder: string,
  folderOf: FolderOf,
): Service[] {
  const others = [
    ...balancers.map((plan) => balancerService(plan, users.lb, folderOf)),
    ...balancers.flatMap((plan) => pairService(plan, folder, users.lb) ?? []),
    ...vpns.map((plan) => charonService(plan, folderOf, users.vpn)),
  ]
  const dnsmasq = daemons.map(({ space, capabilities, config, hosts, names }): Service => {
    const { file, args } = commandAs(users.dns, 'dnsmasq', dnsmasqArguments, { capabilities })
    return {
      ...{ key: space, space, program: file, args, becomes: 'dnsmasq', user: users.dns },
      files: { config },
      lists: { hosts, names },
    }
  })
  if (doors.length === 0) return [...dnsmasq, ...others]
  const { metadata } = users
  const words = ['-db', '-f', 'config']
  const { file, args } = metadata ? commandWithin(listening, 'haproxy', words) : { file: 'haproxy', args: words }
  return [
    ...dnsmasq,
    ...others,
    {
      ...{ key: metadataKey, space: null, program: file, args, becomes: 'haproxy', user: metadata, readsFirst: true },
      files: { config: metadataConfig(doors, metadata ? { user: metadata.name, group: metadata.name } : null) },
      lists: {},
      replaces: ['-sf'],
    },
  ]
}
