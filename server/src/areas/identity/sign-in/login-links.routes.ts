import { domainKind, type Domain } from '@mainstay/contract/identity/domains'
import { loginHosts, loginLink, loginLinks } from '@mainstay/contract/identity/login-link'
import { serve } from '../../../http/serve'

export const loginLinkRoutes = serve(
  loginLinks,
  {
    async list({ scope, params }, { inventory, selfService }) {
      const { id } = await inventory.view<Domain>(domainKind, scope, params.id)
      const { hostname, addresses, port, isSecure } = selfService
      const links = loginHosts(hostname, addresses()).map((host) => loginLink(host, port, id))
      return { data: links.map((link) => ({ link, address: `${isSecure ? 'https' : 'http'}://${link}` })) }
    },
  },
  { about: 'domain' },
)
