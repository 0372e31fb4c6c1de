import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { userKind } from '@mainstay/contract/identity/users'
import { serve } from '../../http/serve'
import { currentUser } from '../../session/current-user'
import { directoryOf, domainOfRow } from './directory.service'

export const passwordLinkRoutes = serve(passwordLinks, {
  async create({ scope, params }, tools) {
    const domainId = await domainOfRow(userKind, scope, params, tools)
    const { token, expires_at } = await directoryOf(tools).passwordLinks.create(scope, domainId, params.id)
    return { token, expires_at: expires_at.toISOString() }
  },

  async open({ body, request }, tools) {
    request.leaveUnrecorded()
    const { user_name, domain_name, expires_at } = await directoryOf(tools).passwordLinks.open(body.token)
    return { user_name, domain_name, expires_at: expires_at.toISOString() }
  },

  async use({ body, request }, { sessions }) {
    const { signedIn, token } = await sessions.choosePassword(body.token, body.new_password, request.origin)
    request.setSessionCookie(token, sessions.lifetime.sessionSeconds)
    return currentUser(signedIn, { token })
  },
})
