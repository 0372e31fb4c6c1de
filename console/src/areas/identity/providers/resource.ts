import { identityProviderKind, identityProviders } from '@mainstay/contract/identity/identity-providers'
import { resource } from '../../../nav/resource'

export const providerResource = resource({
  kind: identityProviderKind,
  calls: identityProviders,
  area: 'identity',
  words: 'providers',
  called: 'identityProviders',
  path: 'identity-providers',
  menu: { in: 'people.accounts', inDomain: 'people.accounts', icon: 'KeyIcon', label: 'menu.providers' },
})
