import { read } from '@mainstay/contract/core/endpoint'
import { paths } from '../../nav/paths'
import { ProjectIcon, UsersIcon } from '../../ui/icons'
import type { MenuGroup } from './menu-group'

/** All there is in domain mode. */
export const domainMenu: MenuGroup = {
  label: 'menu.main',
  entries: [
    { label: 'menu.users', icon: UsersIcon, to: paths.users(), needs: read('domain_users') },
    { label: 'menu.projects', icon: ProjectIcon, to: paths.projects(), needs: read('domain_projects') },
  ],
}
