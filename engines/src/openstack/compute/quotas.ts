import { GiB } from '@mainstay/contract/core/bytes'
import { notFound, Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ProjectQuotas, QuotaName } from '../../ports/compute'
import type { Scope } from '../../ports/scope'
import type { Caller } from '../client/caller'
import type { Engine } from '../engine'

/** A limit with what is used of it; what is promised to something under way is used too. */
const Amount = z
  .object({ limit: z.number(), in_use: z.number(), reserved: z.number().default(0) })
  .transform(({ limit, in_use, reserved }) => ({ limit, used: in_use + reserved }))

const ComputeQuotas = z.object({ quota_set: z.object({ instances: Amount, cores: Amount, ram: Amount }) })
const VolumeQuotas = z.object({ quota_set: z.object({ volumes: Amount, gigabytes: Amount }) })

type CloudQuotas = Omit<ProjectQuotas, 'images' | 'image_storage'>

/** What the cloud counts of a project: the caller's own one, or any for an operator. */
async function cloudQuotas(cloud: Caller, projectId: string): Promise<CloudQuotas> {
  const path = `/os-quota-sets/${encodeURIComponent(projectId)}`
  const [{ quota_set: compute }, { quota_set: volume }] = await Promise.all([
    cloud.get('compute', `${path}/detail`, ComputeQuotas),
    cloud.get('volume', path, VolumeQuotas, { query: { usage: 'True' } }),
  ])
  const { limit, used } = volume.gigabytes
  return {
    instances: compute.instances,
    vcpus: compute.cores,
    ram: compute.ram,
    volumes: volume.volumes,
    storage: { limit: limit < 0 ? limit : limit * GiB, used: used * GiB },
  }
}

/** Images are counted by the index: the cloud has no quota of them that it tells everywhere. */
export async function quotasOf(engine: Engine, scope: Scope, projectId: string): Promise<ProjectQuotas> {
  if (scope.kind !== 'system' && scope.project_id !== projectId) throw notFound()
  const [counted, images, image_storage] = await Promise.all([
    engine.as(scope).then((cloud) => cloudQuotas(cloud, projectId)),
    engine.records.transaction((tx) => tx.sum('image', projectId)),
    engine.records.transaction((tx) => tx.sum('image', projectId, 'size')),
  ])
  return { ...counted, images: { limit: -1, used: images }, image_storage: { limit: -1, used: image_storage } }
}

const words: Record<keyof CloudQuotas, string> = {
  instances: 'instances',
  vcpus: 'vCPUs',
  ram: 'memory',
  volumes: 'volumes',
  storage: 'storage',
}

/**
 * Refuses what would take a project over a quota, with the numbers and the field that asks for too much. The cloud
 * counts again as it makes things; this is so that it is told at once, and of volumes that it makes later.
 */
export async function checkQuotas(
  cloud: Caller,
  projectId: string,
  wanted: Partial<Record<keyof CloudQuotas, { amount: number; field: string }>>,
): Promise<void> {
  const quotas = await cloudQuotas(cloud, projectId)
  for (const [name, { amount, field }] of Object.entries(wanted) as [
    keyof CloudQuotas,
    { amount: number; field: string },
  ][]) {
    const { limit, used } = quotas[name]
    if (limit < 0 || amount <= 0 || used + amount <= limit) continue
    const message = `The quota of ${words[name]} of this project is not enough: ${used} of ${limit} used, ${amount} more wanted`
    throw new Problem('quota_exceeded', message, {
      fields: { [field]: [message] },
      data: { resource: name satisfies QuotaName, limit, used, requested: amount },
    })
  }
}
