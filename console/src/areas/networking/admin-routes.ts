import { route, type PageRoute } from '../../nav/route'
import { addressUsePath, networkHostPath, physical, whoHasPath } from './operators/paths'

const common = { needs: physical.needs, texts: 'networking', panel: 'admin' } as const

/** What all tenants' networks stand on. */
export const networkingAdminRoutes: readonly PageRoute[] = [
  route(addressUsePath.slice(1), () => import('./operators/AddressUsePage'), { ...common, title: 'operators.use' }),
  route(whoHasPath.slice(1), () => import('./operators/WhoHasPage'), { ...common, title: 'operators.who' }),
  route(networkHostPath.slice(1), () => import('./operators/NetworkHostPage'), { ...common, title: 'operators.host' }),
]
