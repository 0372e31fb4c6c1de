import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { ProjectQuotas, QuotaName } from '../ports/area-ports'
import type { RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'
import { actsOn } from './access'
import type { Engine } from './engine'

/** Where the use of each quota is summed up. */
const counted: Record<QuotaName, readonly [kind: string, path?: string]> = {
  instances: ['server'],
  vcpus: ['server', 'derived.taken.vcpus'],
  ram: ['server', 'derived.taken.ram'],
  volumes: ['volume'],
  storage: ['volume', 'size'],
  images: ['image'],
  image_storage: ['image', 'size'],
}
const names = Object.keys(counted) as QuotaName[]
export const computeQuotas = ['instances', 'vcpus', 'ram', 'images', 'image_storage'] as const
export const storageQuotas = ['volumes', 'storage'] as const

const words: Record<QuotaName, string> = {
  instances: 'instances',
  vcpus: 'vCPUs',
  ram: 'memory',
  volumes: 'volumes',
  storage: 'storage',
  images: 'images',
  image_storage: 'image storage in bytes',
}

/** What a project has left of a quota; infinite where there is no limit. */
export async function leftOf(
  { limits }: Engine,
  tx: RecordsTransaction,
  projectId: string,
  name: QuotaName,
): Promise<number> {
  const limit = limits.quotas[name]
  return limit < 0 ? Infinity : Math.max(0, limit - (await usedBy(tx, projectId, name)))
}

const usedBy = (tx: RecordsTransaction, projectId: string, name: QuotaName) =>
  tx.sum(counted[name][0], projectId, counted[name][1])

/** Amounts that a command wants, and the field of its draft that asks for each. */
export type Wanted = Partial<Record<QuotaName, { amount: number; field?: string }>>

/** Refuses what would take a project over a quota. Others of the project wait until the transaction ends. */
export async function checkQuotas({ limits }: Engine, tx: RecordsTransaction, projectId: string, wanted: Wanted) {
  await tx.exclusive(`quota:${projectId}`)
  for (const name of names) {
    const want = wanted[name]
    const limit = limits.quotas[name]
    if (!want || want.amount <= 0 || limit < 0) continue
    const used = await usedBy(tx, projectId, name)
    if (used + want.amount <= limit) continue
    const message = `The quota of ${words[name]} of this project is not enough: ${used} of ${limit} used, ${want.amount} more wanted`
    throw new Problem('quota_exceeded', message, {
      fields: want.field ? { [want.field]: [message] } : {},
      data: { resource: name, limit, used, requested: want.amount },
    })
  }
}

/** Limits and use of these quotas in a project. Throws `not_found` for a project that the scope does not act in. */
export async function quotasOf<Name extends QuotaName>(
  { records, limits }: Engine,
  asked: readonly Name[],
  scope: Scope,
  projectId: string,
): Promise<Pick<ProjectQuotas, Name>> {
  if (!actsOn(scope, projectId)) throw notFound()
  return records.transaction(async (tx) => {
    const amounts = await Promise.all(
      asked.map(
        async (name) => [name, { limit: limits.quotas[name], used: await usedBy(tx, projectId, name) }] as const,
      ),
    )
    return Object.fromEntries(amounts) as Pick<ProjectQuotas, Name>
  })
}
