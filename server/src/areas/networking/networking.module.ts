import { resources } from '@mainstay/contract/resources'
import { servePlain, serveResource } from '../../http/serve-resource'
import { module } from '../../module'
import { floatingIpRoutes } from './floating-ips.routes'
import { networkServiceRoutes, topologyRoutes } from './network-service.routes'
import { networkDeleted, networkRoutes } from './networks.routes'
import { reachRoutes } from './reach.routes'
import { routerRoutes } from './routers.routes'

const portRoutes = serveResource(resources.ports, ({ ports }) => ports.networking.ports, {
  put: ({ scope, params, body }, { ports }) => ports.networking.ports.update(scope, params.id, body),
})
const securityGroupRoutes = serveResource(resources.securityGroups, ({ ports }) => ports.networking.securityGroups, {
  put: ({ scope, params, body }, { ports }) => ports.networking.securityGroups.update(scope, params.id, body),
})

export const networkingModule = module({
  routes: [
    servePlain('networking', ({ ports }) => ports.networking),
    networkRoutes,
    portRoutes,
    routerRoutes,
    floatingIpRoutes,
    securityGroupRoutes,
    networkServiceRoutes,
    topologyRoutes,
    reachRoutes,
  ],
  jobs: [networkDeleted],
})
