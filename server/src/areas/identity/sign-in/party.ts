import type { CallRequest } from '../../../http/serve'
import { relyingPartyOf, type RelyingParty } from '../../../session/passkeys/relying-party'
import type { Tools } from '../../../tools'

/**
 * Returns the WebAuthn relying party for the page that made the call. Throws `unsupported` if passkeys cannot be used
 * at the page's address.
 */
export const partyOf = (request: CallRequest, { consoleAddresses }: Pick<Tools, 'consoleAddresses'>): RelyingParty =>
  relyingPartyOf(consoleAddresses.of(request.panel, request), request.ownAddress)
