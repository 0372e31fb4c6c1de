import { GiB } from '@mainstay/contract/core/bytes'
import { notFound, Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ProjectQuotas, QuotaName } from '../ports/area-ports'
import type { ComputeQuotas } from '../ports/compute'
import type { Scope } from '../ports/scope'
import type { StorageQuotas } from '../ports/storage'
import type { ServiceClient } from './client/service-client'
import type { Engine } from './engine'

/** A limit with what is used of it; what is promised to something under way is used too. */
const Amount = z
  .object({ limit: z.number(), in_use: z.number(), reserved: z.number().default(0) })
  .transform(({ limit, in_use, reserved }) => ({ limit, used: in_use + reserved }))

const NovaQuotas = z.object({ quota_set: z.object({ instances: Amount, cores: Amount, ram: Amount }) })
const CinderQuotas = z.object({ quota_set: z.object({ volumes: Amount, gigabytes: Amount }) })

type CloudQuotas = Omit<ProjectQuotas, 'images' | 'image_storage'>

const pathOf = (projectId: string) => `/os-quota-sets/${encodeURIComponent(projectId)}`

async function novaQuotas(cloud: ServiceClient, projectId: string): Promise<Omit<CloudQuotas, keyof StorageQuotas>> {
  const { quota_set } = await cloud.get('compute', `${pathOf(projectId)}/detail`, NovaQuotas)
  return { instances: quota_set.instances, vcpus: quota_set.cores, ram: quota_set.ram }
}

async function cinderQuotas(cloud: ServiceClient, projectId: string): Promise<StorageQuotas> {
  const query = { usage: 'True' }
  const { quota_set } = await cloud.get('volume', pathOf(projectId), CinderQuotas, { query })
  const { limit, used } = quota_set.gigabytes
  return { volumes: quota_set.volumes, storage: { limit: limit < 0 ? limit : limit * GiB, used: used * GiB } }
}

/** What the cloud counts of a project: the caller's own one, or any for an operator. */
async function cloudQuotas(cloud: ServiceClient, projectId: string): Promise<CloudQuotas> {
  const [compute, storage] = await Promise.all([novaQuotas(cloud, projectId), cinderQuotas(cloud, projectId)])
  return { ...compute, ...storage }
}

const refuseOther = (scope: Scope, projectId: string): void => {
  if (scope.kind !== 'system' && scope.project_id !== projectId) throw notFound()
}

/** Images are counted by the index: the cloud has no quota of them that it tells everywhere. */
export async function computeQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<ComputeQuotas> {
  refuseOther(scope, projectId)
  const [counted, images, image_storage] = await Promise.all([
    engine.as(scope).then((cloud) => novaQuotas(cloud, projectId)),
    engine.records.transaction((tx) => tx.sum('image', projectId)),
    engine.records.transaction((tx) => tx.sum('image', projectId, 'size')),
  ])
  return { ...counted, images: { limit: -1, used: images }, image_storage: { limit: -1, used: image_storage } }
}

export async function storageQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<StorageQuotas> {
  refuseOther(scope, projectId)
  return cinderQuotas(await engine.as(scope), projectId)
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
  cloud: ServiceClient,
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
