import { computeCluster, listedDistros } from '@mainstay/contract/compute/compute-cluster'
import { serve } from '../../http/serve'

export const computeClusterRoutes = serve(computeCluster, {
  view: (_, { compute, computeMissing }) => ({
    configured: computeMissing === null,
    advice: computeMissing?.advice ?? null,
    engine: compute.name,
    hypervisor: compute.about.hypervisor,
    accelerator: compute.about.accelerator,
    capabilities: compute.capabilities,
    os_distros: listedDistros.map((distro) => ({ ...distro })),
  }),
  stat: ({ scope }, { compute }) => compute.stat(scope),
})
