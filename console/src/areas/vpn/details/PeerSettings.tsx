import { useState } from 'react'
import { connectionKind, ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { PeerConfiguration } from '@mainstay/contract/vpn/peer-configuration'
import { saveAsFile } from '../../../api/transfers/download'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { Button } from '../../../ui/Button'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { DownloadIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import css from '../vpn.module.css'
import { ikeVersionText } from '../words'

type Look = 'swan' | 'words'

/** The peer's configuration, to download or copy. It never contains the pre-shared key. */
export function PeerSettings({ connection: { id, name } }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const shell = useT('shell')
  const [look, setLook] = useState<Look>('swan')
  const view = useView(ipsecSiteConnections.peerConfiguration, { id }, { kind: connectionKind })
  const { data, problem } = view
  return (
    <Panel
      title={t('settings.title')}
      action={
        data && (
          <Button
            variant="plain"
            size="small"
            icon={DownloadIcon}
            onPress={() => saveAsFile(`${name}.conf`, data.swanctl)}
          >
            {t('settings.download')}
          </Button>
        )
      }
    >
      {problem?.code === 'not_found' ? (
        <p>{t('settings.none')}</p>
      ) : problem ? (
        <ErrorPanel
          title={t('settings.failed')}
          why={problemText(problem, shell)}
          id={problem.requestId}
          onRetry={view.reload}
        />
      ) : !data ? (
        <SkeletonRows rows={6} columns={1} />
      ) : (
        <div className={css.column}>
          <SegmentedControl
            label={t('settings.look')}
            value={look}
            onChange={setLook}
            items={[
              { id: 'swan', label: 'strongSwan' },
              { id: 'words', label: t('settings.words') },
            ]}
          />
          {look === 'swan' ? (
            <CodeBlock label={t('settings.file')}>{data.swanctl}</CodeBlock>
          ) : (
            <Values values={data.values} />
          )}
          <p className={css.dim}>{t('settings.key')}</p>
        </div>
      )}
    </Panel>
  )
}

/** The configuration as plain values for other devices, from the peer's point of view. */
function Values({ values }: { values: PeerConfiguration['values'] }) {
  const t = useT('vpn')
  const code = (text: string | null) => text && <CopyableCode>{text}</CopyableCode>
  const seconds = (count: number) => t('policy.seconds', { count })
  return (
    <Facts
      rows={[
        [t('ike.version'), ikeVersionText(values.ike_version, t)],
        [t('settings.own'), code(values.local_address)],
        [t('settings.ownId'), code(values.local_id)],
        [t('settings.far'), code(values.remote_address) ?? t('router.noGateway')],
        [t('settings.farId'), code(values.remote_id)],
        [t('settings.ownRanges'), code(values.local_subnets.join(', '))],
        [t('settings.farRanges'), code(values.remote_subnets.join(', '))],
        [t('ike.title'), code(values.ike_proposal)],
        [t('settings.ikeLifetime'), seconds(values.ike_lifetime)],
        [t('ipsec.title'), code(values.esp_proposal)],
        [t('settings.espLifetime'), seconds(values.esp_lifetime)],
        [t('dpd.interval'), values.dpd_interval === null ? t('dpd.disabled') : seconds(values.dpd_interval)],
        [t('settings.begins'), t(values.begins ? 'settings.mustBegin' : 'settings.mayBegin')],
      ]}
    />
  )
}
