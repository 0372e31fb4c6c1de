import { identityProviderKind, identityProviders } from '@mainstay/contract/identity/identity-providers'
import { resource } from '../../../nav/resource'
import { KeyIcon } from '../../../ui/icons'

export const providerResource = resource({
  kind: identityProviderKind,
  calls: identityProviders,
  area: 'identity',
  words: 'providers',
  called: 'identityProviders',
  path: 'identity-providers',
  menu: { group: 'domain', icon: KeyIcon, label: 'menu.providers' },
})
