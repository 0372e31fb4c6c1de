import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { resource } from '../../../nav/resource'

export const projectResource = resource({
  kind: projectKind,
  calls: projects,
  area: 'identity',
  words: 'projects',
  path: 'projects',
  menu: { in: 'people.tenants', inDomain: 'people.tenants', icon: 'ProjectIcon', label: 'menu.projects' },
})
