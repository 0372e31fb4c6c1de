import { useWatch } from 'react-hook-form'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { Banner } from '../../../ui/feedback/Banner'
import { Mono } from '../../../ui/values/Mono'
import { outsideTunnel, routerAddress, sharedWith, subnetsOf } from '../sides'
import type { Around } from '../use-known'
import { ikeOf, ipsecOf, localRanges, localSubnets, remoteRanges, type VpnForm } from '../vpn-form'
import css from '../vpn.module.css'
import { weakOf } from '../words'

/** Maximum number of virtual machines named in a warning. */
const MOST_NAMES = 3

/** Summary of the networks that the tunnel will connect, with warnings. */
export function Joined({ around }: { around: Around }) {
  const t = useT('vpn')
  const form = useWatch() as VpnForm
  const router = around.routers.find(({ id }) => id === form.router)
  const chosen = localSubnets(form.local, around)
  const ours = subnetsOf(router, around.subnets, around.networks).filter(({ id }) => chosen.includes(id))
  const remote = remoteRanges(form.peer, around)
  return (
    <section aria-label={t('summary')} className={css.side}>
      <h2 className={css.heading}>{t('summary')}</h2>
      <Facts
        rows={[
          [t('side.ours'), ours.length > 0 && <Lines of={ours.map(({ name, cidr }) => [name, cidr])} />],
          [t('router'), router && <Lines of={[[router.name, routerAddress(router) ?? t('router.noGateway')]]} />],
          [t('peer'), form.peerAddress !== '' && <Mono>{form.peerAddress}</Mono>],
          [t('side.theirs'), remote.length > 0 && <Lines of={remote.map((it) => ['', it])} />],
        ]}
      />
      <Warnings around={around} form={form} remote={remote} />
    </section>
  )
}

/** One name and address per line. */
const Lines = ({ of: lines }: { of: readonly (readonly [name: string, address: string])[] }) => (
  <span className={css.lines}>
    {lines.map(([name, address]) => (
      <span key={address}>
        <bdi>{name}</bdi> <Mono>{address}</Mono>
      </span>
    ))}
  </span>
)

function Warnings({ around, form, remote }: { around: Around; form: VpnForm; remote: readonly string[] }) {
  const t = useT('vpn')
  const local = localRanges(form.local, around)
  const machines = outsideTunnel(local, around.floatingIps).map(
    ({ attachment, fixed_ip_address: address }) => attachment?.object_name ?? address ?? '',
  )
  const shared = sharedWith(remote, { router: form.router, own: null, local }, around)
  const policies = [ikeOf(form.ike, around), ipsecOf(form.ipsec, around)]
  const weak = [...new Set(policies.flatMap((it) => (it ? weakOf(it, t) : [])))]
  return (
    <>
      {machines.length > 0 && (
        <Banner tone="warn" title={t('warn.floating', { count: machines.length })}>
          {t('warn.floatingText', {
            names: machines.slice(0, MOST_NAMES).join(', '),
            count: Math.max(0, machines.length - MOST_NAMES),
          })}
        </Banner>
      )}
      {shared.map(({ name, ranges }) => (
        <Banner key={name} tone="warn">
          {t('side.shared', { name, ranges: ranges.join(', ') })}
        </Banner>
      ))}
      {weak.length > 0 && <Banner tone="warn">{t('policy.weak', { what: weak.join(', ') })}</Banner>}
      {form.initiator === 'response-only' && <Banner tone="busy">{t('warn.answers')}</Banner>}
      <p className={css.dim}>{t('warn.mirror')}</p>
    </>
  )
}
