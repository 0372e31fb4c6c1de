import { dpdActions, vpnModes } from '@mainstay/contract/vpn/algorithms'
import { MAX_DPD_SECONDS } from '@mainstay/contract/vpn/connections'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, Select, TextField } from '../../../patterns/form/form-fields'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { Disclosure } from '../../../ui/Disclosure'
import { KeyIcon } from '../../../ui/icons'
import { CopyButton } from '../../../ui/values/CopyButton'
import { randomPsk } from '../psk'
import { useVpnCapabilities } from '../use-vpn'
import type { TunnelForm } from '../vpn-form'
import css from '../vpn.module.css'
import { dpdHelpKeys, dpdKeys, dpdText, modeHelpKeys, modeKeys } from '../words'

interface TunnelFieldsProps {
  /** True for an existing connection, where an empty key keeps the saved one. */
  isThere?: boolean
  /** The address at which the peer reaches this side, if known. */
  localAddress: string | null
  autoFocus?: boolean
}

/** Fields for a connection's name, peer address, pre-shared key and advanced settings. */
export function TunnelFields({ isThere = false, localAddress, autoFocus = false }: TunnelFieldsProps) {
  const t = useT('vpn')
  return (
    <>
      <TextField name="name" label={t('name')} autoFocus={autoFocus} />
      <TextField name="description" label={t('description')} isOptional />
      <TextField name="peerAddress" label={t('peerAddress')} help={t('peerAddressHelp')} isMono />
      <KeyField isThere={isThere} />
      <Advanced localAddress={localAddress} />
    </>
  )
}

/** Field for the pre-shared key, which can be typed or generated, and copied while it is visible. */
function KeyField({ isThere }: { isThere: boolean }) {
  const t = useT('vpn')
  const { value, onChange, isDisabled } = useBound<string>('psk')
  return (
    <div className={css.key}>
      <PasswordField
        name="psk"
        label={t('psk')}
        help={t(isThere ? 'psk.keep' : 'psk.help')}
        autoComplete="off"
        isOptional={isThere}
      />
      <div className={css.buttons}>
        <Button icon={KeyIcon} size="small" isDisabled={isDisabled} onPress={() => onChange(randomPsk())}>
          {t('psk.generate')}
        </Button>
        {value !== '' && <CopyButton value={value}>{t('psk.copy')}</CopyButton>}
      </div>
    </div>
  )
}

function Advanced({ localAddress }: { localAddress: string | null }) {
  const t = useT('vpn')
  const can = useVpnCapabilities()
  const [initiator, action, interval, timeout, peerAddress] = [
    useWatched<TunnelForm['initiator']>('initiator'),
    useWatched<TunnelForm['dpdAction']>('dpdAction'),
    useWatched<number | null>('dpdInterval'),
    useWatched<number | null>('dpdTimeout'),
    useWatched<string>('peerAddress'),
  ]
  const dpd = dpdText({ action, interval: interval ?? 0, timeout: timeout ?? 0 }, t)
  return (
    <Disclosure title={t('advanced')} summary={`${t(modeKeys[initiator])}, ${dpd}`}>
      <div className={css.fields}>
        <TextField
          name="peerId"
          label={t('peerId')}
          help={t('peerIdHelp')}
          placeholder={peerAddress}
          {...{ isMono: true, isOptional: true }}
        />
        <TextField
          name="localId"
          label={t('localId')}
          help={t('localIdHelp')}
          placeholder={localAddress ?? undefined}
          {...{ isMono: true, isOptional: true }}
        />
        <Select
          name="initiator"
          label={t('mode')}
          help={t(modeHelpKeys[initiator])}
          items={(can?.modes ?? vpnModes).map((id) => ({ id, label: t(modeKeys[id]) }))}
        />
        <Select
          name="dpdAction"
          label={t('dpd')}
          help={t(dpdHelpKeys[action])}
          items={(can?.dpd_actions ?? dpdActions).map((id) => ({ id, label: t(dpdKeys[id]) }))}
        />
        {action !== 'disabled' && (
          <div className={css.pair}>
            <NumberField
              name="dpdInterval"
              label={t('dpd.interval')}
              {...{ unit: t('seconds'), minValue: 1, maxValue: MAX_DPD_SECONDS }}
            />
            <NumberField
              name="dpdTimeout"
              label={t('dpd.timeout')}
              {...{ unit: t('seconds'), minValue: 1, maxValue: MAX_DPD_SECONDS }}
            />
          </div>
        )}
        {can?.split_selector && (
          <Checkbox name="split" help={t('splitHelp')}>
            {t('split')}
          </Checkbox>
        )}
      </div>
    </Disclosure>
  )
}
