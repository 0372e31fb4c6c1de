import { hostSampler } from '../../../metrics/host-sampler'
import type { Sampler } from '../../../metrics/sampling'
import type { CoreTools } from '../../../tools'
import { balancerSampler } from './balancers'
import { bucketSampler } from './buckets'
import { machineSampler } from './machines'
import { quotaSampler } from './quotas'
import { tunnelSampler } from './tunnels'

/**
 * Returns this installation's samplers, in addition to each server's own metrics. The host is sampled only if the
 * embedded engine runs instances on it.
 */
export function samplersOf(
  tools: Pick<CoreTools, 'inventory' | 'ports' | 'areas' | 'capabilities'>,
  dataFolder: string,
): Sampler[] {
  const own = [machineSampler(tools), balancerSampler(tools), bucketSampler(tools), tunnelSampler(tools)].filter(
    (it) => it !== null,
  )
  const isHost = tools.areas.compute.engine !== null && tools.areas.compute.engine.feed === null
  return [...own, ...(isHost ? [hostSampler(dataFolder)] : []), quotaSampler(tools)]
}
