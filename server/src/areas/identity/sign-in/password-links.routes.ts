import { PASSWORD_LINK_PATH, passwordLinks } from '@mainstay/contract/identity/password-links'
import { problem } from '@mainstay/contract/core/problems'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { domainKind, type Domain } from '@mainstay/contract/identity/domains'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { createRates, takeOne } from '../../../http/overload/rates'
import type { PasswordLinksPort } from '@mainstay/engines/ports/directory'
import { serve } from '../../../http/serve'
import { limits } from '../../../limits'
import { networkOf } from '../../../session/known-sources'
import type { Tools } from '../../../tools'
import { linkMail } from './account-mails'
import { directoryOf, readDirectory } from '../directory.service'
import { domainNameOf } from '../domain-by-id'
import { beginResetMail } from './reset-mail'
import { welcome } from './welcome'

const { view } = readDirectory<User>(userKind)
const forgottenOf = createRates(limits.forgottenPasswords)

/** Returns the port for password links. Throws `unsupported` if a cloud manages the passwords. */
function linksOf(tools: Tools): PasswordLinksPort {
  const links = directoryOf(tools).passwordLinks
  if (links) return links
  throw problem('identity.password_links_of_cloud')
}

export const passwordLinkRoutes = serve(passwordLinks, {
  async create({ scope, params, body, request }, tools) {
    const { domain_id: domainId, id } = await view({ scope, params }, tools)
    const { token, expires_at } = await linksOf(tools).create(scope, domainId, id)
    const user = await tools.inventory.view<User>(userKind, scope, id)
    // operators sign in to the admin panel, and all other users to the self-service panel
    const operates = request.panel === 'admin' && rightsOf(user).system_permissions.length > 0
    const address = tools.consoleAddresses.of(operates ? 'admin' : 'self-service', request)
    const url = address === null ? null : `${address}${PASSWORD_LINK_PATH}#${token}`
    let mailed_to: string | null = null
    if (body.mail && url !== null && user.email !== null) {
      const { name: domain } = await tools.inventory.view<Domain>(domainKind, scope, domainId)
      const { subject, content } = linkMail({ user: user.name, domain, url, isNew: user.password_state === 'none' })
      if (await tools.mailer.queueSealed(user.email, subject, content)) mailed_to = user.email
    }
    return { token, expires_at: expires_at.toISOString(), url, mailed_to }
  },

  async open({ body, request }, tools) {
    request.leaveUnrecorded()
    const { user_name, domain_name, expires_at } = await linksOf(tools).open(body.token)
    return { user_name, domain_name, expires_at: expires_at.toISOString() }
  },

  way: async ({ request }, { consoleAddresses, identity, mailer }) => ({
    is_mailed: identity.directory !== null && consoleAddresses.canBeCertain(request.panel) && (await mailer.isSet()),
  }),

  async forgotten({ body, request }, tools) {
    directoryOf(tools)
    const address = tools.consoleAddresses.certain(request.panel, request)
    if (address === null || !(await tools.mailer.isSet())) throw problem('identity.no_mail_for_links')
    takeOne(forgottenOf, networkOf(request.origin.address), 'links')
    const named = await domainNameOf(body.domain || undefined, tools.identity)
    const domain = named ?? (await tools.identity.domain('default'))?.name ?? 'default'
    await beginResetMail(tools.inventory, { username: body.username, domain, address })
  },

  async use({ body, request }, { sessions }) {
    return welcome(await sessions.choosePassword(body.token, body.new_password, request.origin), request, sessions)
  },
})
