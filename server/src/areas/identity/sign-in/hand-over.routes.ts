import { notFound, problem } from '@mainstay/contract/core/problems'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { handOver, LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { serve } from '../../../http/serve'
import { domainNameOf } from '../domain-by-id'

export const handOverRoutes = serve(handOver, {
  async providers({ query }, { identity }) {
    const domain = await domainNameOf(query.domain, identity)
    const all = (await identity.handOver?.providers()) ?? []
    const isOpen = (name: string | null) => domain === undefined || name === null || name === domain
    // without a domain, list only the default domain's providers, so that other domains are not revealed
    const own = (await identity.federation?.providers.open(domain ?? DEFAULT_DOMAIN_ID)) ?? []
    return {
      data: [
        ...all.filter(({ domain_name }) => isOpen(domain_name)),
        ...own.map(({ id, name, domain_name }) => ({ id, name, domain_name })),
      ],
    }
  },

  async begin({ params: { id }, request }, { identity, federation, consoleAddresses }) {
    if (request.ownAddress === null) throw problem('identity.browser_sign_in')
    if (identity.federation) {
      const { address, browserSecret } = await federation.begin(id, consoleAddresses.ofSignIn(request.panel, request))
      request.rememberHandOver(browserSecret)
      return { address }
    }
    if (!identity.handOver) throw notFound()
    const address = await identity.handOver.begin(id, `${request.ownAddress}${LANDING_PATH}`)
    request.rememberHandOver(id)
    return { address }
  },
})
