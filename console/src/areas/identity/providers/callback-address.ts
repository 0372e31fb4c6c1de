import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import type { Protocol } from '@mainstay/contract/identity/identity-providers'
import { rootPath } from '../../../lib/root-path'

/** Where a provider of the domain sends people back to: it has to know this address. */
export const callbackAddress = (domainId: string, protocol: Protocol): string =>
  `${location.origin}${rootPath.replace(/\/$/, '')}${LANDING_PATH}/${protocol}/${encodeURIComponent(domainId)}`

/** What a SAML provider knows us by: the address of our metadata. */
export const entityId = (domainId: string): string => `${callbackAddress(domainId, 'saml')}/metadata`
