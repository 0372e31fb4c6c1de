import { DEFAULT_STORAGE_POLICY, quotas, type QuotaAmount } from '@mainstay/contract/compute/quotas'
import { MiB } from '@mainstay/contract/core/bytes'
import { serve } from '../../http/serve'

const inBytes = ({ limit, used }: QuotaAmount): QuotaAmount => ({
  limit: limit < 0 ? limit : limit * MiB,
  used: used * MiB,
})
const none: QuotaAmount = { limit: 0, used: 0 }

export const quotaRoutes = serve(quotas, {
  async view({ scope, params }, { ports, areas }) {
    const [{ instances, vcpus, ram, ...image }, { volumes, storage }] = await Promise.all([
      ports.compute.quotas(scope, params.project_id),
      areas.storage.engine ? ports.storage.quotas(scope, params.project_id) : { volumes: none, storage: none },
    ])
    return {
      compute: { instances, cores: vcpus, ram: inBytes(ram) },
      storage: { volumes, storage_policies: { [DEFAULT_STORAGE_POLICY]: storage }, volumes_backups: none },
      image,
      network: { floatingip: none, ipsec_site_connection: none },
      k8saas: { cluster: none },
      lbaas: { loadbalancer: none },
      placement: {},
    }
  },
})
