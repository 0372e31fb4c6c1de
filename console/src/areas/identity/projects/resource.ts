import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { resource } from '../../../nav/resource'
import { ProjectIcon } from '../../../ui/icons'

export const projectResource = resource({
  kind: projectKind,
  calls: projects,
  area: 'identity',
  words: 'projects',
  path: 'projects',
  menu: { group: 'domain', icon: ProjectIcon, label: 'menu.projects' },
})
