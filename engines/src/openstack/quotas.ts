import { GiB } from '@mainstay/contract/core/bytes'
import { notFound } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { requireQuota, usedOf, type AreaQuotas, type WantedAmount } from '../ports/quotas'
import type { Scope } from '../ports/scope'
import type { ServiceClient } from './client/service-client'
import type { Engine } from './engine'

/** A limit with what is used of it; what is promised to something under way is used too. */
const Amount = z
  .object({ limit: z.number(), in_use: z.number(), reserved: z.number().default(0) })
  .transform(({ limit, in_use, reserved }) => ({ limit, used: in_use + reserved }))

const NovaQuotas = z.object({ quota_set: z.object({ instances: Amount, cores: Amount, ram: Amount }) })
const CinderQuotas = z.object({ quota_set: z.object({ volumes: Amount, gigabytes: Amount }) })

type StorageQuotas = AreaQuotas<'storage'>
/** What the cloud counts itself. */
type CloudQuotas = Omit<AreaQuotas<'compute'>, 'images' | 'image_storage'> & StorageQuotas

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
export async function computeQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<AreaQuotas<'compute'>> {
  refuseOther(scope, projectId)
  const [counted, images, image_storage] = await Promise.all([
    engine.as(scope).then((cloud) => novaQuotas(cloud, projectId)),
    engine.records.transaction((tx) => usedOf(tx, projectId, 'images')),
    engine.records.transaction((tx) => usedOf(tx, projectId, 'image_storage')),
  ])
  return { ...counted, images: { limit: -1, used: images }, image_storage: { limit: -1, used: image_storage } }
}

export async function storageQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<StorageQuotas> {
  refuseOther(scope, projectId)
  return cinderQuotas(await engine.as(scope), projectId)
}

/**
 * Refuses what would take a project over a quota, with the numbers and the field that asks for too much. The cloud
 * counts again as it makes things; this is so that it is told at once, and of volumes that it makes later.
 */
export async function checkQuotas(
  cloud: ServiceClient,
  projectId: string,
  wanted: Partial<Record<keyof CloudQuotas, WantedAmount>>,
): Promise<void> {
  const quotas = await cloudQuotas(cloud, projectId)
  for (const name of Object.keys(quotas) as (keyof CloudQuotas)[])
    if (wanted[name]) requireQuota(name, quotas[name], wanted[name])
}
