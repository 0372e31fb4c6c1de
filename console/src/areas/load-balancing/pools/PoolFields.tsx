import { useFormContext } from 'react-hook-form'
import {
  canProxyProtocol,
  canStick,
  forwardings,
  headersOf,
  type InsertableHeader,
  type LbAlgorithm,
} from '@mainstay/contract/load-balancing/forwarding'
import { MAX_CONNECTION_LIMIT } from '@mainstay/contract/load-balancing/pools'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, Select, TextArea, TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { Checkbox as PlainCheckbox } from '../../../ui/fields/Checkbox'
import { Select as PlainSelect } from '../../../ui/fields/Select'
import { Disclosure } from '../../../ui/Disclosure'
import css from '../load-balancing.module.css'
import { useBalancingCapabilities } from '../use-load-balancing'
import { algorithmKeys } from '../words'
import { forwardingId, forwardingOf, startOf, type ForwardingId, type PoolForm } from './pool-form'
import { SniFields } from './SniFields'

interface PoolFieldsProps {
  /** Prefix for the field names, such as `pool.`. */
  at?: string
  /** True for an existing pool, whose forwarding cannot be changed. */
  isThere?: boolean
}

/** Form fields for pool settings: forwarding, name, certificates and algorithm. */
export function PoolFields({ at = '', isThere = false }: PoolFieldsProps) {
  const t = useT('loadBalancing')
  const can = useBalancingCapabilities()
  const id = useWatched<ForwardingId>(`${at}forwarding`)
  const forwarding = forwardingOf(id)
  const chosen = useWatched<LbAlgorithm>(`${at}algorithm`)
  // until the capabilities are loaded, offer only the current choice
  const algorithms = (forwarding.protocol === 'UDP' ? can?.udp_algorithms : can?.algorithms) ?? [chosen]
  return (
    <>
      {!isThere && (
        <>
          <ForwardingField at={at} />
          <div className={css.pair}>
            <NumberField name={`${at}port`} label={t('pools.port')} minValue={1} maxValue={65_535} />
            <NumberField name={`${at}backendPort`} label={t('pools.backendPort')} minValue={1} maxValue={65_535} />
          </div>
        </>
      )}
      <TextField name={`${at}name`} label={t('name')} isOptional />
      {forwarding.tls_enabled && (
        <>
          <TextArea
            name={`${at}certificate`}
            label={t('pools.certificate')}
            help={t(isThere ? 'pools.certificateAgain' : 'pools.certificateHelp')}
            {...{ isMono: true, rows: 4, isOptional: isThere }}
          />
          <TextArea
            name={`${at}privateKey`}
            label={t('pools.privateKey')}
            help={t('pools.privateKeyHelp')}
            {...{ isMono: true, rows: 4, isOptional: isThere }}
          />
        </>
      )}
      <Select
        name={`${at}algorithm`}
        label={t('pools.algorithm')}
        items={algorithms.map((it) => ({ id: it, label: t(algorithmKeys[it]) }))}
      />
      {canStick(forwarding) && (
        <Checkbox name={`${at}sticky`} help={t('pools.stickyHelp')}>
          {t('pools.sticky')}
        </Checkbox>
      )}
      {canProxyProtocol(forwarding) && (
        <Checkbox name={`${at}proxyProtocol`} help={t('pools.proxyHelp')}>
          {t('pools.proxy')}
        </Checkbox>
      )}
      <HeaderFields name={`${at}headers`} offered={headersOf(forwarding)} />
      <Disclosure title={t('more')}>
        <div className={css.fields}>
          <NumberField
            name={`${at}limit`}
            label={t('pools.limit')}
            help={t('pools.limitHelp')}
            {...{ minValue: 1, maxValue: MAX_CONNECTION_LIMIT, isOptional: true }}
          />
          {!isThere && <CidrsField at={at} />}
          {forwarding.tls_enabled && (
            <>
              <SniFields at={at} />
              <TextArea
                name={`${at}clientCa`}
                label={t('pools.clientCa')}
                help={t('pools.clientCaHelp')}
                {...{ isMono: true, rows: 4, isOptional: true }}
              />
            </>
          )}
        </div>
      </Disclosure>
    </>
  )
}

const forwardingKeys: Readonly<Partial<Record<ForwardingId, Key<'loadBalancing'>>>> = {
  'HTTPS-HTTPS': 'forwarding.passed',
  'HTTPS-HTTP': 'forwarding.terminated',
}

/**
 * Changing the forwarding protocols resets the ports, headers and health check to the defaults for the new protocols.
 */
function ForwardingField({ at }: { at: string }) {
  const t = useT('loadBalancing')
  const can = useBalancingCapabilities()
  const { setValue, getValues } = useFormContext<Record<string, unknown>>()
  const { value, error, isDisabled } = useBound<ForwardingId>(`${at}forwarding`)
  const offered = forwardings.filter(
    ({ protocol, tls_enabled }) => !can || (can.protocols.includes(protocol) && (!tls_enabled || can.tls_termination)),
  )
  const choose = (id: ForwardingId) => {
    const { name: _, members: __, cidrs: ___, ...usual } = startOf(id)
    for (const [field, next] of Object.entries(usual) as [keyof PoolForm, unknown][])
      if (getValues(`${at}${field}`) !== next) setValue(`${at}${field}`, next, { shouldDirty: true })
  }
  return (
    <PlainSelect
      label={t('pools.rule')}
      help={t('pools.ruleHelp')}
      value={value}
      onChange={choose}
      error={error}
      isDisabled={isDisabled}
      items={offered.map((it) => {
        const id = forwardingId(it)
        const key = forwardingKeys[id]
        return {
          id,
          label: t('pools.forwarding', { front: it.protocol, back: it.backend_protocol }),
          end: key && t(key),
        }
      })}
    />
  )
}

function HeaderFields({ name, offered }: { name: string; offered: readonly InsertableHeader[] }) {
  const t = useT('loadBalancing')
  const { value, onChange, isDisabled } = useBound<readonly InsertableHeader[]>(name)
  if (offered.length === 0) return null
  return (
    <fieldset className={css.headers}>
      <legend>{t('pools.headers')}</legend>
      <div className={css.heads}>
        {offered.map((header) => (
          <PlainCheckbox
            key={header}
            isSelected={value.includes(header)}
            isDisabled={isDisabled}
            onChange={(isOn) => onChange(isOn ? [...value, header] : value.filter((it) => it !== header))}
          >
            {header}
          </PlainCheckbox>
        ))}
      </div>
    </fieldset>
  )
}

/** Form field for a pool's allowed source ranges, one per line. */
export function CidrsField({ at = '' }: { at?: string }) {
  const t = useT('loadBalancing')
  return (
    <TextArea
      name={`${at}cidrs`}
      label={t('pools.cidrs')}
      help={t('pools.cidrsHelp')}
      placeholder="192.0.2.0/24"
      {...{ isMono: true, rows: 4, isOptional: true }}
    />
  )
}
