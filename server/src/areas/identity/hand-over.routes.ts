import { notFound, Problem } from '@mainstay/contract/core/problems'
import { handOver, LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { serve } from '../../http/serve'

export const handOverRoutes = serve(handOver, {
  async providers({ query: { domain } }, { identity }) {
    const all = (await identity.handOver?.providers()) ?? []
    const isOpen = (name: string | null) => domain === undefined || name === null || name === domain
    return { data: all.filter(({ domain_name }) => isOpen(domain_name)) }
  },

  async begin({ params: { id }, request }, { identity }) {
    if (!identity.handOver) throw notFound()
    if (request.ownAddress === null) throw new Problem('validation', 'Only a browser can sign in in this way')
    const address = await identity.handOver.begin(id, `${request.ownAddress}${LANDING_PATH}`)
    request.rememberHandOver(id)
    return { address }
  },
})
