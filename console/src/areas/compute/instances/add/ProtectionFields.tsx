import { useState } from 'react'
import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { useWatched } from '../../../../patterns/form/use-watched'
import { FloatingIpChoice } from '../../../../pickers/FloatingIpChoice'
import { SecurityGroupPicker } from '../../../../pickers/SecurityGroupPicker'
import { useNetworkingCan } from '../../../../pickers/use-network-service'
import { useMay } from '../../../../session/may'
import { Disclosure } from '../../../../ui/Disclosure'
import css from './step.module.css'

/** Security groups for the network interfaces, and an optional floating IP. */
export function ProtectionFields() {
  const t = useT('instance')
  const may = useMay()
  const hasGroups = useNetworkingCan('security_groups') && may(securityGroups.list.needs)
  const hasFloatingIps = useNetworkingCan('floating_ips') && may(floatingIps.update.needs)
  const isMany = useWatched<number | null>('count') !== 1
  return (
    <>
      {hasGroups && <Groups />}
      {hasFloatingIps && !isMany && <FloatingIpChoice name="floating_ip" />}
      {hasFloatingIps && isMany && <p className={css.note}>{t('instances.add.floatingIpOfOne')}</p>}
    </>
  )
}

function Groups() {
  const t = useT('instance')
  const { value, onChange } = useBound<string[]>('security_groups')
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  return (
    <Disclosure
      title={t('instances.groups')}
      summary={
        value.length === 0
          ? t('instances.add.groupsDefault')
          : value.map((id) => names[id] ?? id.slice(0, 8)).join(', ')
      }
      isOpenAtFirst={value.length > 0}
    >
      <div className={css.step}>
        <p className={css.note}>{t('instances.add.groupsHelp')}</p>
        <SecurityGroupPicker
          chosen={value}
          onChoose={({ id, name }, isChosen) => {
            setNames({ ...names, [id]: name })
            onChange(isChosen ? [...value, id] : value.filter((it) => it !== id))
          }}
        />
      </div>
    </Disclosure>
  )
}
