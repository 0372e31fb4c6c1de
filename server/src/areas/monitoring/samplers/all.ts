import { hostSampler } from '../../../metrics/host-sampler'
import type { Sampler } from '../../../metrics/sampling'
import type { Tools } from '../../../tools'
import { machineSampler } from './machines'
import { quotaSampler } from './quotas'

/** What is measured here, beside the service of each server. The host is of interest where machines run on it. */
export function samplersOf(tools: Pick<Tools, 'inventory' | 'ports' | 'areas'>, dataFolder: string): Sampler[] {
  const machines = machineSampler(tools)
  const isHost = tools.areas.compute.engine !== null && tools.areas.compute.engine.feed === null
  return [...(machines ? [machines] : []), ...(isHost ? [hostSampler(dataFolder)] : []), quotaSampler(tools)]
}
