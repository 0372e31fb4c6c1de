import { resources } from '@mainstay/contract/resources'
import type { Domain } from '@mainstay/contract/identity/domains'
import { readFrom, serve } from '../../http/serve'
import { directoryOf } from './directory.service'

const { kind, calls } = resources.domains
const fromIndex = readFrom<Domain>(kind)

export const domainRoutes = serve(
  calls,
  {
    list(call, tools) {
      directoryOf(tools)
      return fromIndex.list(call, tools)
    },
    view(call, tools) {
      directoryOf(tools)
      return fromIndex.view(call, tools)
    },
    create: ({ scope, body }, tools) => directoryOf(tools).domains.create(scope, body),
    update: ({ scope, params, body }, tools) => directoryOf(tools).domains.update(scope, params.id, body),
    delete: ({ scope, params, query }, tools) =>
      directoryOf(tools).domains.delete(scope, params.id, { withUsers: query.delete_users === 'true' }),
  },
  { kind },
)
