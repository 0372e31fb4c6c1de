import { useMemo, useState } from 'react'
import { Description, ResourceName } from '@mainstay/contract/core/names'
import { parseAddress } from '@mainstay/contract/networking/addresses'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { networkKind, networks, type Network } from '@mainstay/contract/networking/networks'
import { loadBalancers } from '@mainstay/contract/load-balancing/load-balancers'
import * as z from 'zod'
import { useCall } from '../../api/use-call'
import { useList } from '../../api/use-list'
import { useT, type Translate } from '../../i18n/use-t'
import { useDelayed } from '../../lib/use-delayed'
import { useOptionalParam } from '../../nav/use-param'
import { Checkbox, Select, TextField } from '../../patterns/form/form-fields'
import { useWatched } from '../../patterns/form/use-watched'
import { InProject } from '../../patterns/InProject'
import { Page } from '../../patterns/Page'
import { ProjectQuota } from '../../patterns/ProjectQuota'
import { WizardPage } from '../../patterns/wizard/WizardPage'
import { FloatingIpChoice } from '../../pickers/FloatingIpChoice'
import { Banner } from '../../ui/feedback/Banner'
import { SkeletonRows } from '../../ui/feedback/Skeleton'
import { NetworkIcon } from '../../ui/icons'
import { withFields } from '../../patterns/form/with-fields'
import { BalancingBanner } from './BalancingBanner'
import { checkPool, poolDraft, poolField, startOf, type PoolForm } from './pools/pool-form'
import { PoolFields } from './pools/PoolFields'
import { summaryOf, usePoolSteps } from './pools/pool-steps'
import { balancerResource } from './resource'
import { balancerRefresh } from './use-balancer-actions'
import { useBalancingCapabilities, useLoadBalancing } from './use-load-balancing'

interface BalancerForm {
  name: string
  description: string
  enabled: boolean
  ha: boolean
  networkId: string | null
  address: string
  floatingIp: string | null
  hasPool: boolean
  pool: PoolForm
}

const balancerForm = (t: Translate<'loadBalancing'>) =>
  z
    .object({
      name: ResourceName,
      description: Description,
      enabled: z.boolean(),
      ha: z.boolean(),
      networkId: z.string().nullable(),
      address: z.string(),
      floatingIp: z.string().nullable(),
      hasPool: z.boolean(),
      pool: z.custom<PoolForm>(),
    })
    .superRefine(({ networkId, address, hasPool, pool }, context) => {
      const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
      if (networkId === null) fault('networkId', t('balancers.networkMissing'))
      if (address.trim() !== '' && parseAddress(address.trim()) === null) fault('address', t('balancers.addressWrong'))
      if (hasPool) checkPool(pool, context, ['pool'])
    })

/** Maps the picker values `new:NETWORK` and `have:ID` to request fields. */
const floatingOf = (chosen: string | null) => {
  if (chosen === null) return {}
  const id = chosen.slice(chosen.indexOf(':') + 1)
  return chosen.startsWith('new:') ? { floating_network_id: id } : { floating_ip: id }
}

function draftOf(form: BalancerForm) {
  const address = form.address.trim()
  return {
    ...{ name: form.name, description: form.description, enabled: form.enabled, ha_enabled: form.ha },
    network_id: form.networkId ?? '',
    ip_version: address.includes(':') ? (6 as const) : (4 as const),
    ...(address !== '' && { address }),
    ...floatingOf(form.floatingIp),
    pools: form.hasPool ? [poolDraft(form.pool)] : [],
  }
}

const formFields: Readonly<Record<string, string>> = {
  network_id: 'networkId',
  ha_enabled: 'ha',
  floating_ip: 'floatingIp',
  floating_network_id: 'floatingIp',
}
const formField = (path: string): string =>
  path.startsWith('pools.0.') ? `pool.${poolField(path.slice('pools.0.'.length))}` : (formFields[path] ?? path)

/** `load-balancers/add[/add-pool[/vms|/healthmonitor]]`: creates a load balancer with its first pool. */
export default function BalancerAddPage() {
  return (
    <InProject closeTo={balancerResource.paths.list()}>
      <Prepared />
    </InProject>
  )
}

/** Loads the networks and capabilities before the wizard is mounted, because its initial values depend on them. */
function Prepared() {
  const t = useT('loadBalancing')
  const list = useList(networks.list, networkKind, { stateIn: 'memory', limit: MAX_LIMIT })
  const service = useLoadBalancing()
  const isLoading = list.isLoading || service.isLoading
  const isLate = useDelayed(isLoading)
  if (isLoading) return <Page title={t('balancers.add')}>{isLate && <SkeletonRows rows={8} columns={2} />}</Page>
  const offered = list.rows.filter(
    ({ router_external, ipam_enabled, subnets }) => !router_external && ipam_enabled && subnets.length > 0,
  )
  return <Wizard offered={offered} />
}

function Wizard({ offered }: { offered: readonly Network[] }) {
  const t = useT('loadBalancing')
  const can = useBalancingCapabilities()
  const first = useOptionalParam('step')
  const second = useOptionalParam('poolStep')
  const schema = useMemo(() => balancerForm(t), [t])
  const [start] = useState<BalancerForm>(() => ({
    ...{ name: '', description: '', enabled: true, ha: can?.high_availability ?? false },
    ...{ networkId: offered[0]?.id ?? null, address: '', floatingIp: null },
    ...{ hasPool: true, pool: startOf('HTTP-HTTP') },
  }))
  const create = useCall(loadBalancers.create, { refresh: balancerRefresh })
  const poolSteps = usePoolSteps<BalancerForm>(({ hasPool, pool }) => (hasPool ? pool : null), {
    at: 'pool.',
    step: 'add-pool/',
  })
  return (
    <WizardPage
      title={t('balancers.add')}
      verb={t('balancers.add')}
      schema={schema}
      start={start}
      send={(form) => create.run({ body: draftOf(form) }).catch(withFields(formField))}
      closeTo={balancerResource.paths.list()}
      path={balancerResource.paths.add()}
      step={second === undefined ? first : `${first}/${second}`}
      steps={[
        {
          id: 'add-pool',
          label: t('pools.one'),
          fields: ['hasPool', 'pool.forwarding', 'pool.port', 'pool.backendPort', 'pool.certificate', 'pool.cidrs'],
          summary: ({ hasPool, pool }) => (hasPool ? summaryOf(pool, t) : t('pools.noneYet')),
          children: <FirstPool />,
        },
        ...poolSteps,
      ]}
      aside={<ProjectQuota rows={[{ quota: 'loadbalancer', label: t('balancers.title'), added: 1 }]} />}
    >
      <BalancingBanner />
      <TextField name="name" label={t('name')} autoFocus={first === undefined} />
      <TextField name="description" label={t('description')} isOptional />
      <Select
        name="networkId"
        label={t('balancers.network')}
        help={t(offered.length === 0 ? 'balancers.noNetwork' : 'balancers.networkHelp')}
        items={offered.map(({ id, name, subnets }) => ({
          ...{ id, label: name, icon: NetworkIcon },
          end: subnets.map(({ cidr }) => cidr).join(', '),
        }))}
      />
      <TextField name="address" label={t('balancers.address')} help={t('balancers.addressHelp')} isMono isOptional />
      <FloatingIpChoice name="floatingIp" />
      {can?.high_availability && (
        <Checkbox name="ha" help={t('balancers.haHelp')}>
          {t('balancers.ha')}
        </Checkbox>
      )}
      <Checkbox name="enabled" help={t('balancers.enabledHelp')}>
        {t('enabledFact')}
      </Checkbox>
    </WizardPage>
  )
}

function FirstPool() {
  const t = useT('loadBalancing')
  const hasPool = useWatched<boolean>('hasPool')
  return (
    <>
      <Checkbox name="hasPool">{t('pools.withPool')}</Checkbox>
      {hasPool ? <PoolFields at="pool." /> : <Banner tone="warn">{t('pools.none')}</Banner>}
    </>
  )
}
