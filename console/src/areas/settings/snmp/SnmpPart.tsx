import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { snmp, type Snmp } from '@mainstay/contract/settings/snmp'
import { addressOf } from '../../../api/address'
import { downloadFrom } from '../../../api/transfers/download'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { DownloadIcon } from '../../../ui/icons'
import css from '../settings.module.css'
import { SnmpForm } from './SnmpForm'

/** `/settings/snmp`: the receivers that get alerts as traps. */
export default function SnmpPart() {
  const t = useT('settings')
  const mayChange = useMay()(update('settings_snmp'))
  const view = useView(snmp.view, {})
  // remounts the form with the saved values after each save
  const [saved, setSaved] = useState<{ count: number; values: Snmp }>()
  return (
    <>
      <p className={css.intro}>{t('snmp.intro')}</p>
      <div>
        <Button icon={DownloadIcon} onPress={() => downloadFrom(addressOf(snmp.mib.path))}>
          {t('snmp.mib')}
        </Button>
      </div>
      <ViewContent view={view}>
        {(loaded) => {
          const values = saved?.values ?? loaded
          if (!mayChange) return <SnmpFacts values={values} />
          return (
            <SnmpForm
              key={saved?.count ?? 0}
              values={values}
              onSaved={(reply) => {
                setSaved({ count: (saved?.count ?? 0) + 1, values: reply })
                toast(t('snmp.saved'))
              }}
            />
          )
        }}
      </ViewContent>
    </>
  )
}

/** Read-only settings, for users who cannot edit them. */
function SnmpFacts({ values: { enabled, traps } }: { values: Snmp }) {
  const t = useT('settings')
  const state = (isOn: boolean) => t(isOn ? 'snmp.on' : 'snmp.off')
  return (
    <>
      <Banner tone="busy">{t('settings.readOnly')}</Banner>
      <Facts
        rows={[
          [t('snmp.enabled'), state(enabled)],
          ...traps.map(
            ({ ip, port, enabled: isOn }, at) =>
              [
                t('snmp.receiver', { number: at + 1 }),
                <bdi key="receiver">{`${ip}, ${port}, ${state(isOn)}`}</bdi>,
              ] as const,
          ),
        ]}
      />
    </>
  )
}
