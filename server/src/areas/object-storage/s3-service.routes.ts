import { notFound } from '@mainstay/contract/core/problems'
import { domainKind } from '@mainstay/contract/identity/domains'
import { noS3Capabilities, S3_REGION, s3Service, type S3Service } from '@mainstay/contract/object-storage/s3-service'
import type { DomainRecord } from '@mainstay/engines/ports/identity'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import { enqueue } from '../../tasks/job'
import type { Tools } from '../../tools'
import { objectStorage } from './access.service'
import { disableDomain, enableDomain } from './domain-status'

/** Returns the state of the object storage service with all details. */
export async function viewService({ areas, ports }: Pick<Tools, 'areas' | 'ports'>): Promise<S3Service> {
  const { engine, advice } = areas['object-storage']
  if (engine) return ports['object-storage'].service()
  const nowhere = { endpoint: null, protocol: null, region: S3_REGION, capabilities: noS3Capabilities, usage: null }
  return { s3_enabled: false, state: 'absent', detail: advice, ...nowhere }
}

/** Enables object storage. Fails if the server is not configured for it. */
export async function makeAvailable(tools: Pick<Tools, 'areas' | 'ports'>): Promise<S3Service> {
  await tools.ports['object-storage'].setAvailable(true)
  return viewService(tools)
}

/** Hides details and usage from callers who are not operators. */
const shownTo = ({ kind }: Scope, service: S3Service): S3Service =>
  kind === 'system' ? service : { ...service, detail: null, usage: null }

async function domainOf({ identity }: Pick<Tools, 'identity'>, id: string): Promise<DomainRecord> {
  const domain = await identity.domain(id)
  if (!domain) throw notFound()
  return domain
}

export const s3ServiceRoutes = serve(
  s3Service,
  {
    view: async ({ scope }, tools) => shownTo(scope, await viewService(tools)),

    create: (_, tools) => makeAvailable(tools),

    delete: async (_, tools) => objectStorage(tools).setAvailable(false),

    async domainStatus({ params }, tools) {
      const storage = objectStorage(tools)
      const { id } = await domainOf(tools, params.domain_id)
      return { domain_id: id, enabled: await storage.isDomainEnabled(id) }
    },

    async setDomainStatus({ scope, params, body }, tools) {
      objectStorage(tools)
      const { id, name } = await domainOf(tools, params.domain_id)
      const task_id = await tools.inventory.transaction((records) =>
        enqueue(records, body.enabled ? enableDomain : disableDomain, {
          ...{ args: { domain_id: id }, subject: { kind: domainKind.name, id, name } },
          scope: { ...scope, credential: null },
        }),
      )
      return { task_id }
    },
  },
  { about: 's3_service' },
)
