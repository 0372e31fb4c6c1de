import type { ServiceUser } from '../../../host/service-users'
import { metadataConfig } from '../compile/metadata'
import type { Compiled } from '../compile/plan'
import type { Service } from './daemons'

/** The key of the one HAProxy; others have the names of their namespaces. */
export const metadataKey = 'metadata'

/** The processes that a plan needs. `user` is whom they become where the server is root. */
export function servicesOf({ daemons, doors }: Compiled, user: ServiceUser | null): Service[] {
  const as = user ? [user.name, user.name] : ['root', 'root']
  const dnsmasq = daemons.map(({ space, config, hosts, names }): Service => ({
    ...{ key: space, space, program: 'dnsmasq' },
    args: ['--no-daemon', `--user=${as[0]}`, `--group=${as[1]}`, '--conf-file=config'],
    files: { config },
    lists: { hosts, names },
  }))
  if (doors.length === 0) return dnsmasq
  return [
    ...dnsmasq,
    {
      ...{ key: metadataKey, space: null, program: 'haproxy' },
      args: ['-db', '-f', 'config'],
      files: { config: metadataConfig(doors, user ? { user: user.name, group: user.name } : null) },
      lists: {},
      replaces: ['-sf'],
    },
  ]
}
