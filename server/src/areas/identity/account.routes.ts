import { account } from '@mainstay/contract/identity/account'
import { serve } from '../../http/serve'

export const accountRoutes = serve(account, {
  sessions: async ({ caller }, { sessions }) => ({ data: await sessions.own.sessions(caller) }),
  endSession: ({ caller, params }, { sessions }) => sessions.own.endSession(caller, params.id),
  endOtherSessions: ({ caller }, { sessions }) => sessions.own.endOtherSessions(caller),
  tokens: ({ caller }, { sessions }) => sessions.own.tokens(caller),
  createToken: ({ caller, body, request }, { sessions }) => sessions.own.createToken(caller, body, request.origin),
  revokeToken: ({ caller, params }, { sessions }) => sessions.own.revokeToken(caller, params.id),
})
