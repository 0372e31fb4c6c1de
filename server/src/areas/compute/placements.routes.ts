import {
  placementCarriers,
  placementKind,
  placements,
  type Placement,
  type PlacementCarrier,
} from '@mainstay/contract/compute/placements'
import { notFound } from '@mainstay/contract/core/problems'
import { readFrom, serve } from '../../http/serve'
import { createPlacement } from './placements.service'

/** The last step of a path as what it names; another one leads nowhere. */
function carrierOf(step: string): PlacementCarrier {
  const carrier = placementCarriers.find((it) => it === step)
  if (!carrier) throw notFound()
  return carrier
}

export const placementRoutes = serve(
  placements,
  {
    ...readFrom<Placement>(placementKind),
    create: ({ scope, body }, tools) => createPlacement(scope, body, tools),
    update: ({ scope, params, body }, { ports }) => ports.compute.placements.update(scope, params.id, body),
    delete: ({ scope, params }, { ports }) => ports.compute.placements.delete(scope, params.id),
    assign: ({ scope, params, body }, { ports }) =>
      ports.compute.placements.assign(scope, params.id, carrierOf(params.carrier), body.ids),
    withdraw: ({ scope, params }, { ports }) =>
      ports.compute.placements.withdraw(scope, params.id, carrierOf(params.carrier), params.carrier_id),
  },
  { kind: placementKind },
)
