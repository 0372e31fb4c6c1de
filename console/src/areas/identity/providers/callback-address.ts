import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import type { Protocol } from '@mainstay/contract/identity/identity-providers'
import { rootPath } from '../../../lib/root-path'

/** A domain's callback URL, which must be registered with its provider. */
export const callbackAddress = (domainId: string, protocol: Protocol): string =>
  `${location.origin}${rootPath.replace(/\/$/, '')}${LANDING_PATH}/${protocol}/${encodeURIComponent(domainId)}`

/** Our SAML entity ID, which is the URL of our metadata. */
export const entityId = (domainId: string): string => `${callbackAddress(domainId, 'saml')}/metadata`
