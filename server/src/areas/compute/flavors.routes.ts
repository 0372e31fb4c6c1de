import { flavorKind, flavors, type Flavor } from '@mainstay/contract/compute/flavors'
import { readFrom, serve } from '../../http/serve'

export const flavorRoutes = serve(
  flavors,
  {
    ...readFrom<Flavor>(flavorKind),
    create: ({ scope, body }, { ports }) => ports.compute.flavors.create(scope, body),
    delete: ({ scope, params }, { ports }) => ports.compute.flavors.delete(scope, params.id),
  },
  { kind: flavorKind },
)
