import { resources } from '@mainstay/contract/resources'
import type { Domain } from '@mainstay/contract/identity/domains'
import { serveResource } from '../../http/serve-resource'
import { directoryOf, readDirectory } from './directory.service'

export const domainRoutes = serveResource(resources.domains, (tools) => directoryOf(tools).domains, {
  ...readDirectory<Domain>(resources.domains.kind),
  delete: ({ scope, params, query }, tools) =>
    directoryOf(tools).domains.delete(scope, params.id, { withUsers: query.delete_users === 'true' }),
})
