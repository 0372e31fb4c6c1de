import { resources } from '@mainstay/contract/resources'
import { serveResource } from '../../http/serve-resource'
import { targetsOf } from './floating-ip-targets.service'

export const floatingIpRoutes = serveResource(resources.floatingIps, ({ ports }) => ports.networking.floatingIps, {
  put: ({ scope, params, body }, { ports }) => ports.networking.floatingIps.update(scope, params.id, body),
  targets: ({ scope, params, query }, tools) => targetsOf(tools, scope, params.id, query),
  publish: ({ scope, params, body }, { ports }) => ports.networking.floatingIps.publish(scope, params.id, body),
  unpublish: ({ scope, params, body }, { ports }) => ports.networking.floatingIps.unpublish(scope, params.id, body),
})
