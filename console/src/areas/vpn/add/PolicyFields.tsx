import {
  ikeVersions,
  vpnAuthAlgorithms,
  vpnEncryptionAlgorithms,
  vpnGroups,
  type IkeVersion,
} from '@mainstay/contract/vpn/algorithms'
import {
  MAX_LIFETIME_SECONDS,
  MIN_LIFETIME_SECONDS,
  type IkePolicy,
  type IpsecPolicy,
} from '@mainstay/contract/vpn/policies'
import { useT } from '../../../i18n/use-t'
import { NumberField, Select, TextField } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { Banner } from '../../../ui/feedback/Banner'
import { useVpnCapabilities } from '../use-vpn'
import { algorithmsOf, type PolicyForm } from '../vpn-form'
import css from '../vpn.module.css'
import { algorithmsText, authNames, encryptionNames, groupText, ikeVersionText, weakOf } from '../words'
import { PartChoice } from './PartChoice'

interface PolicyFieldsProps {
  /** Prefix for the form field names. */
  at: 'ike' | 'ipsec'
  /** Policies that already exist in the project. */
  there: readonly (IkePolicy | IpsecPolicy)[]
}

/** Fields for a new or existing IKE policy (`ike`) or IPsec policy (`ipsec`). */
export function PolicyFields({ at, there }: PolicyFieldsProps) {
  const t = useT('vpn')
  const form = useWatched<PolicyForm & { version?: IkeVersion }>(at)
  const chosen = there.find(({ id }) => id === form.id)
  const weak = weakOf(form.way === 'new' ? algorithmsOf(form) : (chosen ?? algorithmsOf(form)), t)
  return (
    <>
      <p className={css.dim}>{t(`${at}.about`)}</p>
      <PartChoice name={`${at}.way`} label={t(`${at}.title`)} count={there.length} />
      {form.way === 'have' ? (
        <Select
          name={`${at}.id`}
          label={t('policy.one')}
          items={there.map((policy) => ({
            ...{ id: policy.id, label: policy.name },
            description: [
              ...('ike_version' in policy ? [ikeVersionText(policy.ike_version, t)] : []),
              algorithmsText(policy, t),
              t('policy.seconds', { count: policy.lifetime.value }),
            ].join(', '),
          }))}
        />
      ) : (
        <NewPolicy at={at} />
      )}
      {weak.length > 0 && <Banner tone="warn">{t('policy.weak', { what: weak.join(', ') })}</Banner>}
    </>
  )
}

function NewPolicy({ at }: { at: PolicyFieldsProps['at'] }) {
  const t = useT('vpn')
  const can = useVpnCapabilities()
  return (
    <>
      {at === 'ike' && (
        <Select
          name="ike.version"
          label={t('ike.version')}
          help={t('ike.versionHelp')}
          items={(can?.ike_versions ?? ikeVersions).map((id) => ({ id, label: ikeVersionText(id, t) }))}
        />
      )}
      <Select
        name={`${at}.encryption`}
        label={t('policy.encryption')}
        items={(can?.encryption_algorithms ?? vpnEncryptionAlgorithms).map((id) => ({
          id,
          label: encryptionNames[id],
        }))}
      />
      <Select
        name={`${at}.auth`}
        label={t('policy.auth')}
        items={(can?.auth_algorithms ?? vpnAuthAlgorithms).map((id) => ({ id, label: authNames[id] }))}
      />
      <Select
        name={`${at}.group`}
        label={t('policy.group')}
        items={(can?.groups ?? vpnGroups).map((id) => ({ id, label: groupText(id, t) }))}
      />
      <NumberField
        name={`${at}.lifetime`}
        label={t('policy.lifetime')}
        help={t('policy.lifetimeHelp')}
        {...{ unit: t('seconds'), minValue: MIN_LIFETIME_SECONDS, maxValue: MAX_LIFETIME_SECONDS }}
      />
      <TextField name={`${at}.name`} label={t('policy.name')} help={t('part.nameHelp')} isOptional />
    </>
  )
}
