import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { resource } from '../../../nav/resource'

export const domainResource = resource({
  kind: domainKind,
  calls: domains,
  area: 'identity',
  words: 'domains',
  path: 'domains',
  menu: { in: 'people.tenants', icon: 'DomainIcon', label: 'menu.domains' },
})
