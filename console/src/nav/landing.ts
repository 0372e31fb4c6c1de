import { read } from '@mainstay/contract/core/endpoint'
import { allows } from '../session/may'
import { isDomainMode, type Session } from '../session/session'
import { isPageKnown, menuEntries } from './known-pages'
import { paths } from './paths'

/** Target of `/compute`: the first compute page. */
export const computePath = () => menuEntries().find((entry) => entry.in.startsWith('compute.'))?.to ?? paths.noService()

/** Target of `/` (S1§2): domain users, monitoring, S3, or a page that explains what to install. */
export function landingPath(session: Session): string {
  if (isDomainMode(session) && isPageKnown(paths.users()) && allows(session.meta, read('domain_users')))
    return paths.users()
  const services = session.meta?.services
  // users without access to the overview, such as service accounts, land on compute
  if (services?.compute.configured) return allows(session.meta, read('overview')) ? paths.monitoring() : computePath()
  if (services?.s3.available && isPageKnown(paths.s3())) return paths.s3()
  return paths.noService()
}
