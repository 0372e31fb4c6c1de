import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { resource } from '../../../nav/resource'
import { DomainIcon } from '../../../ui/icons'

export const domainResource = resource({
  kind: domainKind,
  calls: domains,
  area: 'identity',
  words: 'domains',
  path: 'domains',
  menu: { group: 'main', icon: DomainIcon, label: 'menu.domains' },
})
