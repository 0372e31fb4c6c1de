import type { Key } from '../i18n/catalogues'
import { allows } from '../session/may'
import { isAllTenants, isDomainMode, useSession, type Session } from '../session/session'
import type { Icon } from '../ui/icons'
import { menuEntries, type MenuEntry } from './known-pages'
import { groupList, type MenuGroupId, type MenuSpot } from './menu-groups'
import type { MenuPlace } from './route'

/** Entries under one heading. */
interface MenuSection {
  id: MenuSpot
  /** Text key of the heading; undefined if the group has no headings or shows only this section. */
  label: Key<'shell'> | undefined
  entries: readonly MenuEntry[]
}

/** A menu group as the user sees it, with at least one entry. */
export interface MenuGroup {
  id: MenuGroupId
  label: Key<'shell'>
  hyphenated: Key<'shell'> | undefined
  icon: Icon
  isLast: boolean
  sections: readonly MenuSection[]
  /** The entries of all sections, in order. */
  entries: readonly MenuEntry[]
}

const isSetUp = ({ meta }: Session, service: MenuPlace['service']): boolean => {
  if (service === undefined) return true
  if (!meta?.services.compute.configured) return false
  return service === 'compute' || (meta.services.recycle_bin?.available ?? false)
}

/** The menu tree for a session: pages that are in the build, configured and permitted for the role (S1§2). */
export function menuFor(session: Session): MenuGroup[] {
  const isOfDomain = isDomainMode(session)
  const isForPeople = isOfDomain || isAllTenants(session)
  const shown = menuEntries().filter(({ needs, service }) => allows(session.meta, needs) && isSetUp(session, service))
  const at = (spot: MenuSpot) => shown.filter((entry) => (isOfDomain ? entry.inDomain : entry.in) === spot)

  return groupList
    .filter(({ service, isForPeople: isTheirs }) => isSetUp(session, service) && (isForPeople || !isTheirs))
    .flatMap(({ id, label, hyphenated, icon, headings, isLast = false }): MenuGroup[] => {
      const spots = headings
        ? Object.entries(headings).map(([heading, text]) => ({ id: `${id}.${heading}` as MenuSpot, label: text }))
        : [{ id: id as MenuSpot, label: undefined }]
      const sections = spots
        .map((spot): MenuSection => ({ ...spot, entries: at(spot.id) }))
        .filter(({ entries }) => entries.length > 0)
      const [only] = sections
      if (!only) return []
      return [
        {
          id,
          label,
          hyphenated,
          icon,
          isLast,
          sections: sections.length > 1 ? sections : [{ ...only, label: undefined }],
          entries: sections.flatMap(({ entries }) => entries),
        },
      ]
    })
}

/** The menu for the current session. */
export const useMenu = () => menuFor(useSession())
