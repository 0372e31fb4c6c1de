import { isPageKnown } from '../../nav/known-pages'
import { allows } from '../../session/may'
import { isDomainMode, type Session } from '../../session/session'
import { computeMenu } from './compute-menu'
import { domainMenu } from './domain-menu'
import type { MenuGroup } from './menu-group'
import { serviceMenu } from './service-menu'

function hasService({ meta }: Session, service: MenuGroup['service']): boolean {
  if (service === 'compute') return meta?.services.compute.configured ?? false
  return service === undefined || (meta?.services.s3.available ?? false)
}

/** What the menu holds for this session: what is built, what is set up, what the role may read (S1§2). */
export function menuFor(session: Session): MenuGroup[] {
  const groups = isDomainMode(session) ? [domainMenu] : [serviceMenu, computeMenu]
  return groups
    .filter(({ service }) => hasService(session, service))
    .map((group) => ({
      ...group,
      entries: group.entries.filter(({ to, needs }) => isPageKnown(to) && allows(session.meta, needs)),
    }))
    .filter(({ entries }) => entries.length > 0)
}
