import type { CallRequest } from '../../../http/serve'
import { relyingPartyOf, type RelyingParty } from '../../../session/passkeys/relying-party'
import type { Tools } from '../../../tools'

/** For whom passkeys of a call's page speak. Throws `unsupported` where browsers have none. */
export const partyOf = (request: CallRequest, { consoleAddresses }: Pick<Tools, 'consoleAddresses'>): RelyingParty =>
  relyingPartyOf(consoleAddresses.of(request.panel, request), request.ownAddress)
