import { useMemo, useState } from 'react'
import { ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import type { VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { Link } from '../../../nav/Link'
import { useOptionalParam } from '../../../nav/use-param'
import { useWatched } from '../../../patterns/form/use-watched'
import { withFields } from '../../../patterns/form/with-fields'
import { InProject } from '../../../patterns/InProject'
import { Page } from '../../../patterns/Page'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { WizardPage, type WizardStep } from '../../../patterns/wizard/WizardPage'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { buttonClass } from '../../../ui/button-class'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { routerResource } from '../../networking/routers/resource'
import { vpnResource } from '../resource'
import { routerAddress, subnetsOf } from '../sides'
import { useKnown, type Around } from '../use-known'
import { useVpn } from '../use-vpn'
import { vpnRefresh } from '../use-vpn-actions'
import { newVpnForm, vpnField } from '../vpn-checks'
import { connectionDraft, emptyVpnForm, ikeOf, ipsecOf, localRanges, remoteRanges, type VpnForm } from '../vpn-form'
import { VpnBanner } from '../VpnBanner'
import { algorithmsText, ikeVersionText } from '../words'
import { Joined } from './Joined'
import { PolicyFields } from './PolicyFields'
import { SideFields } from './SideFields'
import { TunnelFields } from './TunnelFields'

/**
 * `vpn/add[/ike|/ipsec|/endpoint-groups|/connection]`: creates a connection with its policies and endpoint groups.
 * Without a step, shows the summary.
 */
export default function VpnAddPage() {
  return (
    <InProject closeTo={vpnResource.paths.list()}>
      <Prepared />
    </InProject>
  )
}

/** Loads the choices before the wizard is mounted, because its initial values depend on them. */
function Prepared() {
  const t = useT('vpn')
  const around = useKnown()
  const service = useVpn()
  const isLoading = around === undefined || service.isLoading
  const isLate = useDelayed(isLoading)
  if (isLoading)
    return <Page title={t('ipsecSiteConnections.add')}>{isLate && <SkeletonRows rows={8} columns={2} />}</Page>
  return <Wizard around={around} can={service.data?.capabilities ?? null} />
}

function Wizard({ around, can }: { around: Around; can: VpnCapabilities | null }) {
  const t = useT('vpn')
  const may = useMay()
  const step = useOptionalParam('step')
  const schema = useMemo(() => newVpnForm(t, around), [t, around])
  const [start] = useState<VpnForm>(() => {
    const router = around.routers.find((it) => routerAddress(it) !== null)
    const subnets = subnetsOf(router, around.subnets, around.networks)
    return emptyVpnForm(can, router?.id ?? null, subnets.length === 1 ? [subnets[0]!.id] : [])
  })
  const create = useCall(ipsecSiteConnections.create, { refresh: vpnRefresh })
  const isRefused = !may(ipsecSiteConnections.create.needs)
  return (
    <WizardPage
      title={t('ipsecSiteConnections.add')}
      verb={t('ipsecSiteConnections.add')}
      schema={schema}
      start={start}
      send={(form) => create.run({ body: connectionDraft(form) }).catch(withFields(vpnField))}
      closeTo={vpnResource.paths.list()}
      path={vpnResource.paths.add()}
      step={step}
      steps={stepsOf(around, t)}
      more={<Joined around={around} />}
      aside={
        <ProjectQuota rows={[{ quota: 'ipsec_site_connection', label: t('ipsecSiteConnections.title'), added: 1 }]} />
      }
      barred={() => (isRefused ? t('mayNotAdd') : undefined)}
    >
      <VpnBanner />
      <RouterBanner around={around} />
    </WizardPage>
  )
}

/** Banner that links to the routers if none of them has an external gateway. */
function RouterBanner({ around: { routers } }: { around: Around }) {
  const t = useT('vpn')
  if (routers.some((it) => routerAddress(it) !== null)) return null
  return (
    <Banner
      tone="warn"
      action={
        <Link to={routerResource.paths.list()} className={buttonClass({ size: 'small' })}>
          {t('router.show')}
        </Link>
      }
    >
      {t('router.first')}
    </Banner>
  )
}

function stepsOf(around: Around, t: ReturnType<typeof useT<'vpn'>>): WizardStep<VpnForm>[] {
  const seconds = (policy: { lifetime: { value: number } }) => t('policy.seconds', { count: policy.lifetime.value })
  return [
    {
      ...{ id: 'ike', label: t('ike.title'), fields: ['ike'] },
      summary({ ike }) {
        const policy = ikeOf(ike, around)
        return policy && [ikeVersionText(policy.ike_version, t), algorithmsText(policy, t), seconds(policy)].join(', ')
      },
      children: <PolicyFields at="ike" there={around.ike} />,
    },
    {
      ...{ id: 'ipsec', label: t('ipsec.title'), fields: ['ipsec'] },
      summary({ ipsec }) {
        const policy = ipsecOf(ipsec, around)
        return policy && [algorithmsText(policy, t), seconds(policy)].join(', ')
      },
      children: <PolicyFields at="ipsec" there={around.ipsec} />,
    },
    {
      ...{ id: 'endpoint-groups', label: t('side.title'), fields: ['router', 'local', 'peer'] },
      summary({ local, peer }) {
        const [ours, theirs] = [localRanges(local, around), remoteRanges(peer, around)]
        return (
          ours.length > 0 && theirs.length > 0 && t('side.text', { ours: ours.join(', '), theirs: theirs.join(', ') })
        )
      },
      children: <SideFields around={around} />,
    },
    {
      id: 'connection',
      label: t('connection'),
      fields: ['name', 'description', 'peerAddress', 'psk', 'peerId', 'localId', 'dpdInterval', 'dpdTimeout'],
      summary: ({ name, peerAddress }) =>
        name !== '' && peerAddress !== '' && t('connection.text', { name, address: peerAddress }),
      children: <ConnectionStep around={around} />,
    },
  ]
}

function ConnectionStep({ around }: { around: Around }) {
  const chosen = useWatched<string | null>('router')
  const router = around.routers.find(({ id }) => id === chosen)
  return <TunnelFields localAddress={router ? routerAddress(router) : null} autoFocus />
}
