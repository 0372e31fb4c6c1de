import { useMemo, useState } from 'react'
import { networks } from '@mainstay/contract/networking/networks'
import { routers } from '@mainstay/contract/networking/routers'
import { subnets } from '@mainstay/contract/networking/subnets'
import { problemText } from '../../../api/problem-text'
import { asProblem } from '../../../api/problem'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { notify } from '../../../notices/notices'
import { InProject } from '../../../patterns/InProject'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { Checkbox, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { networkService, type PhysicalNetwork } from '@mainstay/contract/networking/network-service'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { Disclosure } from '../../../ui/Disclosure'
import { connectedOf } from '../routers/connected'
import { ServiceBanner } from '../ServiceBanner'
import { ModeField, RangeFactsTable, SubnetFields } from '../subnets/SubnetFields'
import css from '../subnets/subnets.module.css'
import { useFreeRange } from '../subnets/use-free-range'
import { withFields } from '../../../patterns/form/with-fields'
import { useRouters, useSubnets } from '../../../pickers/networking-lists'
import { useNetworkService } from '../../../pickers/use-network-service'
import { AccessField } from './AccessField'
import { NetworkAdvanced } from './NetworkAdvanced'
import { RangeField } from './RangeField'
import { RouterField } from './RouterField'
import { NetworkTypeFields } from './NetworkTypeFields'
import {
  emptyNetworkForm,
  networkField,
  networkForm,
  privateDraft,
  publicDraft,
  vlanDraft,
  type NetworkForm,
  type NetworkWay,
} from './network-form'
import { networkResource } from './resource'

/** `networks/add`: creates a private network or, for operators, one on an infrastructure network. */
export default function NetworkAddForm() {
  const may = useMay()
  // external networks do not belong to a project, so operators do not have to select one
  const mayExternal = may(networks.createPublic.needs)
  return mayExternal ? (
    <Prepared />
  ) : (
    <InProject closeTo={networkResource.paths.list()}>
      <Prepared />
    </InProject>
  )
}

/** Loads the default values before rendering the form. */
function Prepared() {
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const service = useNetworkService()
  const can = service.data?.capabilities
  const mayExternal = may(networks.createPublic.needs) && (can?.external_networks ?? false)
  const mayVlan = may(networks.createVlan.needs) && (can?.vlan_networks ?? false)
  const physical = useView(networkService.physicalNetworks, {}, { isEnabled: mayExternal })
  const free = useFreeRange(24, 4, !isAllTenants)
  const isWaiting = service.isLoading || free.isLoading || (mayExternal && physical.isLoading)
  if (isWaiting) return null
  const ways: NetworkWay[] = [
    ...(isAllTenants ? [] : (['private'] as const)),
    ...(mayExternal ? (['public'] as const) : []),
    ...(mayVlan ? (['vlan'] as const) : []),
  ]
  // the engine or the user allows only private networks, which require a project
  if (ways.length === 0)
    return (
      <InProject closeTo={networkResource.paths.list()}>
        <Prepared />
      </InProject>
    )
  return <Form ways={ways} free={free.cidr} physical={physical.data?.data ?? []} />
}

interface FormProps {
  ways: readonly NetworkWay[]
  free: string
  physical: readonly PhysicalNetwork[]
}

function Form({ ways, free, physical }: FormProps) {
  const t = useT('networking')
  const subnetList = useSubnets()
  const routerList = useRouters()
  const connected = useMemo(
    () => new Map(routerList.rows.map((router) => [router.id, connectedOf(router, subnetList.rows)])),
    [routerList.rows, subnetList.rows],
  )
  const schema = useMemo(() => networkForm(t, { connected }), [t, connected])
  // keep the initial defaults while the user fills in the form
  const [start] = useState(() => emptyNetworkForm(free, ways[0]!, physical[0]?.id ?? null))
  const refresh = [networks.list, networks.addressUse, subnets.list, routers.list]
  const makePrivate = useCall(networks.createPrivate, { refresh })
  const makePublic = useCall(networks.createPublic, { refresh })
  const makeVlan = useCall(networks.createVlan, { refresh })
  const connect = useCall(routers.addInterface, { refresh })

  async function send(form: NetworkForm) {
    const place = withFields((path) => networkField(path, form))
    if (form.way === 'public') return makePublic.run({ body: publicDraft(form) }).catch(place)
    if (form.way === 'vlan') return makeVlan.run({ body: vlanDraft(form) }).catch(place)
    const made = await makePrivate.run({ body: privateDraft(form) }).catch(place)
    if (form.router !== null && form.ipam)
      // the network already exists: report the failed connection separately instead of as a failed creation
      await connect.run({ params: { id: form.router }, body: { network_id: made.id } }).catch((thrown: unknown) => {
        const message = problemText(asProblem(thrown), textsNow('shell'))
        notify({ type: 'warning', title: t('networks.notConnected', { name: made.name }), message })
      })
    return made
  }

  return (
    <FormDialog
      title={t('networks.add')}
      verb={t('networks.addVerb')}
      schema={schema}
      start={start}
      send={send}
      closeTo={networkResource.paths.list()}
      size="large"
    >
      <ServiceBanner />
      <TextField name="name" label={t('name')} autoFocus />
      {ways.length > 1 && <NetworkTypeFields ways={ways} physical={physical} />}
      <Addresses />
      <NetworkAdvanced />
      <Access />
      {ways.includes('private') && (
        <ProjectQuota rows={[{ quota: 'networks', label: t('quota.networks'), added: 1 }]} />
      )}
    </FormDialog>
  )
}

function Addresses() {
  const t = useT('networking')
  const way = useWatched<NetworkWay>('way')
  const ipam = useWatched<boolean>('ipam')
  const hasFour = useWatched<boolean>('has_v4')
  const hasSix = useWatched<boolean>('has_v6')
  const range6 = useWatched<string>('v6.cidr')
  const mode = useWatched<string>('v6.mode')
  return (
    <>
      <Checkbox name="ipam" help={t('networks.ipamHelp')}>
        {t('networks.ipam')}
      </Checkbox>
      {ipam && (
        <>
          <Checkbox name="has_v4">{t('networks.hasFour')}</Checkbox>
          {hasFour && (
            <>
              <RangeField at="v4" isPlanned={way === 'private'} />
              <RangeFactsTable at="v4" version={4} />
            </>
          )}
          {way === 'private' && <RouterField />}
          <Disclosure title="IPv6" summary={hasSix ? `${range6} ${mode}` : t('networks.noSix')}>
            <div className={css.fields}>
              <Checkbox name="has_v6">{t('networks.hasSix')}</Checkbox>
              {hasSix && (
                <>
                  <RangeField at="v6" isPlanned={false} />
                  <ModeField at="v6" />
                  <SubnetFields at="v6" version={6} />
                </>
              )}
            </div>
          </Disclosure>
        </>
      )}
    </>
  )
}

function Access() {
  const t = useT('networking')
  const way = useWatched<NetworkWay>('way')
  const policies = useWatched<readonly unknown[]>('rbac_policies')
  if (way === 'private') return null
  return (
    <Disclosure title={t('access.title')} summary={t('access.count', { count: policies.length })}>
      <AccessField name="rbac_policies" />
    </Disclosure>
  )
}
