import { commandAs, commandWithin } from '../../../host/service-users'
import { metadataConfig } from '../../../network-model/compile/metadata'
import type { Compiled } from '../../../network-model/compile/plan'
import { balancerService, type FolderOf } from './balancers'
import { charonService } from './charon'
import type { Service } from './daemons'
import { pairService } from './pairs'
import type { NetworkUsers } from './users'

/** dnsmasq must not change its user, because user and capabilities are set before it starts. */
const dnsmasqArguments = [
  ...['--keep-in-foreground', '--log-facility=-', '--pid-file='],
  ...['--user=', '--group=', '--conf-file=config'],
]

/** Key of the only metadata HAProxy. Other services are named after their namespaces. */
export const metadataKey = 'metadata'

/**
 * Capabilities that the metadata HAProxy requires as root before it switches to `users.metadata`: to listen in
 * namespaces, to change its user, and to terminate its predecessor.
 */
const listening = ['sys_admin', 'net_bind_service', 'setuid', 'setgid', 'kill']

/** Returns the services that a plan requires, with their folders in `folder`. */
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
