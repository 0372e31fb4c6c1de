import type { CallRequest } from '../../../http/serve'
import { relyingPartyOf, type RelyingParty } from '../../../session/passkeys/relying-party'
import type { Tools } from '../../../tools'

/**
 * The WebAuthn relying party of the page that made a call. Throws `unsupported` if the address cannot have passkeys.
 */
export const partyOf = (request: CallRequest, { consoleAddresses }: Pick<Tools, 'consoleAddresses'>): RelyingParty =>
  relyingPartyOf(consoleAddresses.of(request.panel, request), request.ownAddress)
