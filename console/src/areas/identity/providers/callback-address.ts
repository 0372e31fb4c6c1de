import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import type { Protocol } from '@mainstay/contract/identity/identity-providers'
import { rootPath } from '../../../lib/root-path'

/** Callback URL of a domain, which has to be registered with its provider. */
export const callbackAddress = (domainId: string, protocol: Protocol): string =>
  `${location.origin}${rootPath.replace(/\/$/, '')}${LANDING_PATH}/${protocol}/${encodeURIComponent(domainId)}`

/** Our entity ID for a SAML provider: the URL of our metadata. */
export const entityId = (domainId: string): string => `${callbackAddress(domainId, 'saml')}/metadata`
