import {
  allQuotas,
  DEFAULT_STORAGE_POLICY,
  quotaNames,
  quotas,
  type CountedQuotas,
  type QuotaAmount,
  type Quotas,
} from '@mainstay/contract/compute/quotas'
import { MiB } from '@mainstay/contract/core/bytes'
import type { AreaPorts } from '@mainstay/engines/ports/area-ports'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'

const none: QuotaAmount = { limit: 0, used: 0 }
/** Where there are no such services. */
const nothing = (): Quotas => ({
  compute: { instances: none, cores: none, ram: none },
  storage: { volumes: none, storage_policies: { [DEFAULT_STORAGE_POLICY]: none }, volumes_backups: none },
  image: { images: none, image_storage: none },
  network: { floatingip: none, ipsec_site_connection: none },
  k8saas: { cluster: none },
  lbaas: { loadbalancer: none },
  placement: {},
})

type AreaWithQuotas = (typeof allQuotas)[keyof typeof allQuotas]['area'] & keyof AreaPorts
const areasWithQuotas = [...new Set(quotaNames.map((name): AreaWithQuotas => allQuotas[name].area))]

const inBytes = ({ limit, used }: QuotaAmount, unit: number): QuotaAmount => ({
  limit: limit < 0 ? limit : limit * unit,
  used: used * unit,
})

/** What the engines of all areas count; nobody has anything without the engine of compute. */
async function counted({ ports, areas }: Pick<Tools, 'ports' | 'areas'>, scope: Scope, projectId: string) {
  const served = areasWithQuotas.filter((area) => area === 'compute' || areas[area].engine)
  const amounts = await Promise.all(served.map((area) => ports[area].quotas(scope, projectId)))
  return Object.assign({}, ...amounts) as Partial<CountedQuotas>
}

export const quotaRoutes = serve(quotas, {
  async view({ scope, params }, tools) {
    const amounts = await counted(tools, scope, params.project_id)
    const answer = nothing()
    for (const name of quotaNames) {
      const { at, unit } = allQuotas[name]
      const amount = amounts[name]
      if (amount) putAt(answer, at.split('.'), inBytes(amount, unit === 'MiB' ? MiB : 1))
    }
    return answer
  },
})

function putAt(inside: object, [key, ...further]: readonly string[], amount: QuotaAmount): void {
  const place = inside as Record<string, object>
  if (further.length === 0) place[key!] = amount
  else putAt(place[key!]!, further, amount)
}
