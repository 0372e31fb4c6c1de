import { failureDomains, levelPaths, type FailureDomain } from '@mainstay/contract/infrastructure/location-rules'
import { locationKind, locations, occupiedFailureDomains } from '@mainstay/contract/infrastructure/locations'
import { serve } from '../../../http/serve'
import {
  createLocations,
  deleteLocation,
  levelOf,
  moveNodes,
  treeOf,
  updateLocation,
  viewLocation,
} from './locations.service'
import { estimateMove } from './move-estimate'
import { occupiedTiers } from './occupied-tiers'

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const pluralOf: Record<FailureDomain, string> = { ...levelPaths, host: 'hosts', disk: 'disks' }

const levels = (Object.keys(failureDomains) as FailureDomain[]).map((domain) => ({
  ...{ domain, number: failureDomains[domain] },
  ...{ label: capital(domain), labels: capital(pluralOf[domain]) },
}))

/** Returns the given name or names, each with the request field that contained it. */
const namesIn = ({ name, names }: { name?: string | undefined; names?: string[] | undefined }) =>
  names ? { names, field: 'names' as const } : { names: [name!], field: 'name' as const }

export const locationRoutes = serve(
  locations,
  {
    tree: (_, tools) => treeOf(tools),
    configuration: () => ({ levels }),
    async create({ params, body: { name, ...given } }, tools) {
      const [created] = await createLocations(tools, levelOf(params.level), { names: [name], field: 'name', ...given })
      return created!
    },
    async createRows({ scope, params: { id }, body }, tools) {
      await viewLocation(tools, scope, 'room', id)
      return createLocations(tools, 'row', { ...namesIn(body), room_id: id })
    },
    async createRacks({ scope, params: { id }, body }, tools) {
      await viewLocation(tools, scope, 'row', id)
      return createLocations(tools, 'rack', { ...namesIn(body), row_id: id })
    },
    view: ({ scope, params }, tools) => viewLocation(tools, scope, levelOf(params.level), params.id),
    update: ({ params, body }, tools) => updateLocation(tools, levelOf(params.level), params.id, body),
    delete: ({ params }, tools) => deleteLocation(tools, levelOf(params.level), params.id),
    estimateMove: ({ body }, tools) => estimateMove(tools, body),
    assignNodes: ({ params, body }, tools) => moveNodes(tools, params.id, [...new Set(body.node_ids)]),
  },
  { kind: locationKind },
)

export const failureDomainRoutes = serve(
  occupiedFailureDomains,
  { view: async (_, tools) => ({ tiers: await occupiedTiers(tools) }) },
  { about: 'failure_domain' },
)
