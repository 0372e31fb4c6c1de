import { update } from '@mainstay/contract/core/endpoint'
import type { Refusal } from '@mainstay/contract/core/problems'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import {
  clusterSettings,
  tiers,
  type ClusterSettings,
  type Tier,
} from '@mainstay/contract/infrastructure/cluster-settings'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { saidText } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Switch } from '../../../ui/fields/Switch'
import css from '../settings.module.css'

const params = { scope: CLUSTER_ID }
/** Polling interval. The page polls because the flags change only when a task is complete. */
const everyMs = 5000
const reasonOf = (limit: Refusal | null) => limit && saidText(limit.said, limit.message)
const numberOf = (tier: Tier) => tiers.indexOf(tier)

/** `/settings/encryption`: shows and changes which storage tiers encrypt new data. */
export default function EncryptionPart() {
  const t = useT('settings')
  const view = useView(clusterSettings.view, params, { everyMs })
  return (
    <>
      <p className={css.intro}>{t('encryption.intro')}</p>
      <ViewContent view={view}>{(settings) => <Tiers settings={settings} />}</ViewContent>
    </>
  )
}

function Tiers({ settings: { encryption, encryption_limits: limits } }: { settings: ClusterSettings }) {
  const t = useT('settings')
  const mayChange = useMay()(update('cluster_settings'))
  const save = useCall(clusterSettings.save, { refresh: [clusterSettings.view] })
  const ask = (number: number, isOn: boolean) =>
    void confirm({
      title: t(isOn ? 'encryption.ask.on' : 'encryption.ask.off', { tier: number }),
      text: t(isOn ? 'encryption.ask.onText' : 'encryption.ask.offText'),
      verb: t(isOn ? 'encryption.enable' : 'encryption.disable'),
      run: async (signal) => {
        await save.run({ params, body: { encryption: { [`tier${number}`]: isOn } } }, { signal })
        toast(t('encryption.started', { tier: number }))
      },
    })
  return (
    <>
      {!mayChange && <Banner tone="busy">{t('settings.readOnly')}</Banner>}
      <SmallTable
        label={t('encryption.tiers')}
        rows={tiers}
        keyOf={(tier) => tier}
        columns={[
          { id: 'tier', label: t('encryption.tier'), render: (tier) => t('encryption.unit', { tier: numberOf(tier) }) },
          {
            id: 'flag',
            label: t('encryption.newData'),
            render: (tier) => (
              <Switch
                aria-label={t('encryption.switch', { tier: numberOf(tier) })}
                isSelected={encryption[tier]}
                isDisabled={!mayChange || limits[tier] !== null}
                onChange={(isOn) => ask(numberOf(tier), isOn)}
              >
                {t(encryption[tier] ? 'encryption.on' : 'encryption.off')}
              </Switch>
            ),
          },
          ...(tiers.some((tier) => limits[tier] !== null)
            ? [{ id: 'why', label: t('encryption.why'), render: (tier: Tier) => reasonOf(limits[tier]) }]
            : []),
        ]}
      />
    </>
  )
}
