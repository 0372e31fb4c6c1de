import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { rootPath } from '../../../lib/root-path'

/** Where a provider of the domain sends people back to: it has to know this address. */
export const callbackAddress = (domainId: string): string =>
  `${location.origin}${rootPath.replace(/\/$/, '')}${LANDING_PATH}/openid/${encodeURIComponent(domainId)}`
