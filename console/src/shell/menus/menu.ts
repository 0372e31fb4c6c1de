import { menuPages } from '../../nav/known-pages'
import type { MenuGroupId, MenuPlace } from '../../nav/route'
import { allows } from '../../session/may'
import { isAllTenants, isDomainMode, type Session } from '../../session/session'
import type { MenuGroup } from './menu-group'

const labels: Readonly<Record<MenuGroupId, MenuGroup['label']>> = {
  main: 'menu.main',
  compute: 'menu.compute',
  network: 'menu.network',
  domain: 'menu.people',
}

/** What is set up of the services that groups and entries are about. */
const isSetUp = ({ meta }: Session, service: MenuGroupId | MenuPlace['service']): boolean => {
  if (service === 'compute' || service === 'network') return meta?.services.compute.configured ?? false
  return service !== 'recycle_bin' || (meta?.services.recycle_bin?.available ?? false)
}

/** What the menu holds for this session: what is built, what is set up, what the role may read (S1§2). */
export function menuFor(session: Session): MenuGroup[] {
  const groups: readonly MenuGroupId[] = isDomainMode(session)
    ? ['domain']
    : ['main', ...(isAllTenants(session) ? (['domain'] as const) : []), 'compute', 'network']
  return groups
    .filter((group) => isSetUp(session, group))
    .map((id) => ({
      id,
      label: labels[id],
      entries: menuPages(id).filter(
        // where a page's own group is shown as well, it stands there alone
        ({ needs, group, service }) =>
          allows(session.meta, needs) && isSetUp(session, service) && (group === id || !groups.includes(group)),
      ),
    }))
    .filter(({ entries }) => entries.length > 0)
}
