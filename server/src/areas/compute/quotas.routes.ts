import { atQuotaPlaces } from '@mainstay/contract/all-quotas'
import {
  DEFAULT_STORAGE_POLICY,
  domainQuotas,
  quotaKind,
  quotas,
  type DomainQuotas,
  type QuotaAmount,
  type Quotas,
} from '@mainstay/contract/compute/quotas'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'
import { countedQuotas, domainCeilings, projectNamed, setDomainCeilings, setProjectQuotas } from './quotas.service'

const none: QuotaAmount = { limit: 0, used: 0 }
/** Default quotas for services that are not available here. */
const nothing = (): Quotas => ({
  compute: { instances: none, cores: none, ram: none },
  storage: { volumes: none, storage_policies: { [DEFAULT_STORAGE_POLICY]: none }, volumes_backups: none },
  image: { images: none, image_storage: none },
  network: {
    ...{ networks: none, subnets: none, ports: none, routers: none, floatingip: none },
    ...{ security_groups: none, security_group_rules: none, ipsec_site_connection: none },
  },
  k8saas: { cluster: none },
  lbaas: { loadbalancer: none },
  placement: {},
})

const answerOf = async (tools: Tools, scope: Scope, projectId: string) =>
  atQuotaPlaces(await countedQuotas(tools, scope, projectId), nothing()) as Quotas
const answerOfDomain = async (tools: Tools, scope: Scope, id: string) =>
  atQuotaPlaces(await domainCeilings(tools, scope, id)) as DomainQuotas

export const quotaRoutes = serve(
  quotas,
  {
    async view({ scope, params }, tools) {
      const { project_id } = await projectNamed(tools, scope, params.id)
      return answerOf(tools, scope, project_id)
    },
    async set({ scope, params, body }, tools) {
      const project = await projectNamed(tools, scope, params.id)
      await setProjectQuotas(tools, scope, project, body)
      return answerOf(tools, scope, project.project_id)
    },
  },
  { kind: quotaKind },
)

export const domainQuotaRoutes = serve(
  domainQuotas,
  {
    view: ({ scope, params }, tools) => answerOfDomain(tools, scope, params.id),
    async set({ scope, params, body }, tools) {
      await setDomainCeilings(tools, scope, params.id, body)
      return answerOfDomain(tools, scope, params.id)
    },
  },
  { kind: quotaKind },
)
