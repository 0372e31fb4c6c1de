import { useFormContext } from 'react-hook-form'
import { useT } from '../../../i18n/use-t'
import { Select, TextArea, TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { Checkbox } from '../../../ui/fields/Checkbox'
import { Select as PlainSelect } from '../../../ui/fields/Select'
import { Banner } from '../../../ui/feedback/Banner'
import { BadIcon, RouterIcon } from '../../../ui/icons'
import { Mono } from '../../../ui/values/Mono'
import { groupsOf, routerAddress, sharedWith, subnetsOf, type NamedSubnet } from '../sides'
import type { Around } from '../use-known'
import { localRanges, remoteRanges, type LocalForm, type PeerForm } from '../vpn-form'
import css from '../vpn.module.css'
import { PartChoice } from './PartChoice'

interface SideFieldsProps {
  around: Around
  /** ID of the connection being edited: it is excluded from conflict checks, and its router is fixed. */
  own?: string | null
}

/** Fields for the router, the local networks to connect, and the networks behind the peer. */
export function SideFields({ around, own = null }: SideFieldsProps) {
  const router = useWatched<string | null>('router')
  const subnets = subnetsOf(
    around.routers.find(({ id }) => id === router),
    around.subnets,
    around.networks,
  )
  return (
    <>
      {own === null && <RouterField around={around} />}
      <LocalFields around={around} subnets={router === null ? null : subnets} />
      <PeerFields around={around} own={own} />
    </>
  )
}

/**
 * Routers without an external gateway are disabled, with the reason shown. Choosing another router resets the local
 * networks.
 */
function RouterField({ around: { routers, subnets, networks } }: { around: Around }) {
  const t = useT('vpn')
  const { setValue } = useFormContext()
  const { value, onChange, error, isDisabled } = useBound<string | null>('router')
  const choose = (id: string) => {
    onChange(id)
    const there = subnetsOf(
      routers.find((it) => it.id === id),
      subnets,
      networks,
    )
    setValue('local.way', 'new')
    setValue('local.id', null)
    setValue('local.subnets', there.length === 1 ? [there[0]!.id] : [], { shouldDirty: true })
  }
  return (
    <PlainSelect
      label={t('router')}
      help={t(routers.some((it) => routerAddress(it) !== null) ? 'router.help' : 'router.none')}
      value={value}
      onChange={choose}
      error={error}
      isDisabled={isDisabled}
      items={routers.map((router) => {
        const address = routerAddress(router)
        return {
          ...{ id: router.id, label: router.name, icon: RouterIcon },
          ...(address === null ? { disabledBecause: t('router.noGateway') } : { end: address }),
        }
      })}
    />
  )
}

/** Fields for the local networks. `subnets` is null until a router is chosen. */
function LocalFields({ around, subnets: known }: { around: Around; subnets: readonly NamedSubnet[] | null }) {
  const t = useT('vpn')
  const local = useWatched<LocalForm>('local')
  const subnets = known ?? []
  const groups = groupsOf(subnets, around.groups)
  const nameOf = (id: string) => {
    const subnet = subnets.find((it) => it.id === id)
    return subnet ? `${subnet.name} ${subnet.cidr}` : id
  }
  return (
    <section aria-label={t('side.ours')} className={css.side}>
      <h3 className={css.heading}>{t('side.ours')}</h3>
      <PartChoice name="local.way" label={t('side.localGroup')} count={groups.length} />
      {local.way === 'have' ? (
        <Select
          name="local.id"
          label={t('side.localGroup')}
          items={groups.map(({ id, name, endpoints }) => ({
            ...{ id, label: name, description: endpoints.map(nameOf).join(', ') },
          }))}
        />
      ) : (
        <>
          {known === null ? <p className={css.dim}>{t('side.routerFirst')}</p> : <SubnetChoice subnets={known} />}
          <TextField name="local.name" label={t('side.groupName')} help={t('part.nameHelp')} isOptional />
        </>
      )}
    </section>
  )
}

/** A checkbox for each of the router's subnets. */
function SubnetChoice({ subnets }: { subnets: readonly NamedSubnet[] }) {
  const t = useT('vpn')
  const { value, onChange, onBlur, error, isDisabled } = useBound<readonly string[]>('local.subnets')
  if (subnets.length === 0) return <Banner tone="warn">{t('side.noSubnets')}</Banner>
  return (
    <fieldset className={css.choice} data-invalid={error !== undefined || undefined}>
      <legend>{t('side.subnets')}</legend>
      {subnets.map(({ id, name, cidr }) => (
        <Checkbox
          key={id}
          className={css.box}
          isSelected={value.includes(id)}
          isDisabled={isDisabled}
          onBlur={onBlur}
          onChange={(isOn) => onChange(isOn ? [...value, id] : value.filter((it) => it !== id))}
        >
          <bdi>{name}</bdi> <Mono>{cidr}</Mono>
        </Checkbox>
      ))}
      {error !== undefined && (
        <p className={css.error}>
          <BadIcon /> <bdi>{error}</bdi>
        </p>
      )}
    </fieldset>
  )
}

function PeerFields({ around, own }: { around: Around; own: string | null }) {
  const t = useT('vpn')
  const router = useWatched<string | null>('router')
  const local = useWatched<LocalForm>('local')
  const peer = useWatched<PeerForm>('peer')
  const groups = around.groups.filter(({ type }) => type === 'cidr')
  const shared = sharedWith(remoteRanges(peer, around), { router, own, local: localRanges(local, around) }, around)
  return (
    <section aria-label={t('side.theirs')} className={css.side}>
      <h3 className={css.heading}>{t('side.theirs')}</h3>
      <PartChoice name="peer.way" label={t('side.peerGroup')} count={groups.length} />
      {peer.way === 'have' ? (
        <Select
          name="peer.id"
          label={t('side.peerGroup')}
          items={groups.map(({ id, name, endpoints }) => ({ id, label: name, description: endpoints.join(', ') }))}
        />
      ) : (
        <>
          <TextArea
            name="peer.cidrs"
            label={t('side.ranges')}
            help={t('side.rangesHelp')}
            placeholder="10.20.0.0/16"
            {...{ isMono: true, rows: 3 }}
          />
          <TextField name="peer.name" label={t('side.groupName')} help={t('part.nameHelp')} isOptional />
        </>
      )}
      {shared.map(({ name, ranges }) => (
        <Banner key={name} tone="warn">
          {t('side.shared', { name, ranges: ranges.join(', ') })}
        </Banner>
      ))}
    </section>
  )
}
